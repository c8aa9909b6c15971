"""One figure a file: a plotly specification from a finding, with the words that stand in for it."""
