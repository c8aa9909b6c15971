"""Rival explanations of slow decode, one a file: what each predicts, what was observed, whether it holds."""
