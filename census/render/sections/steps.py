"""What does a step cost?"""

from __future__ import annotations

from census.model.census import Census
from census.model.estimate import Absent, Estimate
from census.model.findings import BootStepClasses, StepClass, StepClasses, StepPhases
from census.render import numbers
from census.render.names import STEP_CLASSES, classes_of
from census.render.numbers import MILLISECONDS
from census.render.page import Block, Remark, Section, Table, number_columns, word_columns
from census.render.prose import Bar, Bold, Prose, prose, sentence
from census.render.reasons import Reasons, methods_of
from census.render.sections.parts import absent_section, caveats_touching

ID = "step-phases"
QUESTION = "What does a step cost?"
ALIKE = 0.03


def build(census: Census) -> Section:
    """Return the section: five classes, their cost and their shares, then boot by boot."""
    finding = census.findings.step_phases
    caveats = caveats_touching(census, ID)
    if isinstance(finding, Absent):
        return absent_section(ID, QUESTION, finding, caveats)
    blocks: list[Block] = [_classes_table(finding), Remark(text=prose(_closing(finding)))]
    if len(finding.by_boot) > 1:
        blocks.append(_boots_table(finding.by_boot))
    return Section(id=ID, question=QUESTION, answer=answer(finding), blocks=tuple(blocks), caveats=caveats)


def answer(finding: StepPhases) -> Prose:
    """Return the sentence: what a decode-only step and a chunk step cost, and who holds the time."""
    decode, chunk = finding.classes.decode, finding.classes.chunk
    how = "measured" if finding.source == "counters" else "estimated"
    if isinstance(decode.mean_s, Absent):
        return prose(sentence(f"the cost of a decode-only step is absent: {decode.mean_s.reason}"))
    start = prose("A decode-only step takes ", *_cost(decode.mean_s))
    if isinstance(chunk.mean_s, Absent):
        return (*start, f" ({how}); the cost of a chunk step is absent: {sentence(chunk.mean_s.reason)}")
    middle = prose("; a step that carries a prefill chunk takes ", *_cost(chunk.mean_s))
    return (*start, *middle, f"{_compared(decode.mean_s, chunk.mean_s)} ({how})", *_shares(chunk))


def _compared(decode: Estimate, chunk: Estimate) -> str:
    if not decode.value:
        return ""
    ratio = chunk.value / decode.value
    if abs(ratio - 1) < ALIKE:
        return ", as long as that"
    return f", {numbers.write(ratio, digits=1)} times as long"


def _cost(mean: Estimate) -> Prose:
    return prose(Bold(numbers.point(mean, MILLISECONDS)), f" {numbers.ends(mean, MILLISECONDS)}".rstrip())


def _shares(chunk: StepClass) -> Prose:
    if chunk.share_of_steps is None or chunk.share_of_time is None:
        return (".",)
    share_of_steps, share_of_time = numbers.share(chunk.share_of_steps), numbers.share(chunk.share_of_time)
    return prose(": ", Bold(f"{share_of_steps} of the steps hold {share_of_time} of the step time"), ".")


def _classes_table(finding: StepPhases) -> Table:
    reasons = Reasons()
    rows = tuple(_class_row(name, kind, reasons) for name, kind in classes_of(finding.classes))
    methods = methods_of(
        tuple((f"mean of {name}", kind.mean_s) for name, kind in classes_of(finding.classes))
    )
    which = "all boots" if finding.boot == "all" else f"boot {finding.boot}"
    how = "measured from the engine's counters" if finding.source == "counters" else "estimated, not counted"
    return Table(
        caption=f"Step classes, {which}, {how}",
        columns=(
            *word_columns("class"),
            *number_columns("mean step", "steps", "of steps", "step time", "of time"),
            *word_columns("share of time"),
        ),
        rows=rows,
        notes=(*reasons.notes(), *methods),
    )


def _class_row(name: str, kind: StepClass, reasons: Reasons) -> tuple[Prose, ...]:
    split = "not split"
    return (
        prose(STEP_CLASSES[name]),
        reasons.cell(kind.mean_s, MILLISECONDS),
        prose(split if kind.steps is None else numbers.count(kind.steps)),
        prose(split if kind.share_of_steps is None else numbers.share(kind.share_of_steps)),
        prose(split if kind.seconds is None else numbers.hours(kind.seconds)),
        prose(split if kind.share_of_time is None else numbers.share(kind.share_of_time)),
        (Bar(kind.share_of_time),),
    )


def _closing(finding: StepPhases) -> str:
    said = "Decode-only, chunk and other add up to the whole, in steps and in time."
    classes = finding.classes
    if classes.mixed.seconds is None and classes.chunk.seconds is not None:
        return (
            f"{said} This engine does not split the seconds of mixed and prefill-only steps: "
            "both stand in chunk."
        )
    return said


def _boots_table(by_boot: tuple[BootStepClasses, ...]) -> Table:
    reasons = Reasons()
    rows = tuple(_boot_row(row.boot, row.classes, reasons) for row in by_boot)
    return Table(
        caption="The same, boot by boot",
        columns=number_columns(
            "boot", "decode-only step", "chunk step", "steps", "chunk, of steps", "chunk, of time"
        ),
        rows=rows,
        notes=reasons.notes(),
    )


def _boot_row(boot: int, classes: StepClasses, reasons: Reasons) -> tuple[Prose, ...]:
    chunk = classes.chunk
    whole = [kind.steps for kind in (classes.decode, chunk, classes.other) if kind.steps is not None]
    return (
        prose(str(boot)),
        reasons.cell(classes.decode.mean_s, MILLISECONDS),
        reasons.cell(chunk.mean_s, MILLISECONDS),
        prose(numbers.count(sum(whole)) if whole else "not known"),
        prose("not known" if chunk.share_of_steps is None else numbers.share(chunk.share_of_steps)),
        prose("not known" if chunk.share_of_time is None else numbers.share(chunk.share_of_time)),
    )
