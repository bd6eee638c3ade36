"""The flow of a question matrix as a picture: stages as columns, questions as boxes, conditions as labelled arrows."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy

from closures.codes import outcomes_of
from closures.question_matrix.matrix import STAGES, Condition, Matrix, Question
from closures.question_matrix.translations import name_for_reader
from dispatch.states import JobType

STAGE_NAMES = {
    "safety": gettext_lazy("Safety"),
    "work": gettext_lazy("Work"),
    "closing": gettext_lazy("Closing"),
}
COLUMN_WIDTH, BOX_WIDTH, BOX_HEIGHT, STEP = 420, 280, 44, 74
# left of the boxes, where arrows run
GUTTER = 110
TOP = 64
TEXT_CHARACTERS, LABEL_CHARACTERS = 40, 46
ARROW_STEP, ARROWS_ABREAST = 14, 6


@dataclass(frozen=True)
class FlowBox:
    """One question. `conditions` are sentences like "SAF01 = no", `closures` those codes of the job type for which the
    closing stage asks it, and `outcomes` the same in the reader's words."""

    code: str
    text: str
    conditions: list[str]
    closures: str
    outcomes: list[str]
    is_mandatory: bool
    x: int
    y: int

    @property
    def short_text(self) -> str:
        return _shorten(self.text, TEXT_CHARACTERS)

    @property
    def label(self) -> str:
        """Above the box: what leads here."""
        return _shorten(", ".join(self.conditions) or self.closures, LABEL_CHARACTERS)

    @property
    def text_x(self) -> int:
        return self.x + 10

    @property
    def label_y(self) -> int:
        return self.y - 7

    @property
    def code_y(self) -> int:
        return self.y + 18

    @property
    def text_y(self) -> int:
        return self.y + 35


@dataclass(frozen=True)
class FlowStage:
    name: str
    boxes: list[FlowBox]
    x: int


@dataclass(frozen=True)
class FlowPicture:
    """Of one job type; `arrows` are paths from a question to one that is asked because of it."""

    job_type: str
    name: str
    stages: list[FlowStage]
    arrows: list[str]
    height: int
    width: int = COLUMN_WIDTH * len(STAGES)
    box_width: int = BOX_WIDTH
    box_height: int = BOX_HEIGHT


def draw_flows(matrix: Matrix) -> list[FlowPicture]:
    """One for each job type that has questions."""
    pictures = [_draw(matrix, job_type) for job_type in JobType]
    return [picture for picture in pictures if any(stage.boxes for stage in picture.stages)]


def _draw(matrix: Matrix, job_type: JobType) -> FlowPicture:
    asked = [question for question in matrix.questions if job_type in question.job_types]
    stages = [_stage(name, column, asked, job_type) for column, name in enumerate(STAGES)]
    boxes = {box.code: box for stage in stages for box in stage.boxes}
    links = [
        (boxes[condition.question], boxes[question.code])
        for question in asked
        for condition in question.when
        if condition.question in boxes
    ]
    arrows = [_arrow(start, end, number) for number, (start, end) in enumerate(links)]
    height = TOP + STEP * max(len(stage.boxes) for stage in stages)
    return FlowPicture(job_type.value, str(job_type.label), stages, arrows, height)


def _stage(name: str, column: int, asked: list[Question], job_type: JobType) -> FlowStage:
    questions = [question for question in asked if question.stage == name]
    x = column * COLUMN_WIDTH + GUTTER
    boxes = [_box(question, x, TOP + row * STEP, job_type) for row, question in enumerate(questions)]
    return FlowStage(str(STAGE_NAMES[name]), boxes, x)


def _box(question: Question, x: int, y: int, job_type: JobType) -> FlowBox:
    closures = [code.code for code in outcomes_of(job_type) if code.code in question.closures]
    return FlowBox(
        code=question.code,
        text=question.text,
        conditions=[_sentence(condition) for condition in question.when],
        closures=", ".join(closures),
        outcomes=[name_for_reader(code) for code in closures],
        is_mandatory=question.mandatory,
        x=x,
        y=y,
    )


def _sentence(condition: Condition) -> str:
    sign = "≠" if condition.negated else "="
    return f"{condition.question} {sign} {' | '.join(condition.values)}"


def _arrow(start: FlowBox, end: FlowBox, number: int) -> str:
    """Within a column round the left of the boxes, between columns from right to left edge."""
    middle = BOX_HEIGHT // 2
    target_y = end.y + middle
    if start.x == end.x:
        lane = start.x - 14 - ARROW_STEP * (number % ARROWS_ABREAST)
        return f"M{start.x} {start.y + middle} H{lane} V{target_y} H{end.x - 2}"
    lane = end.x - 14 - ARROW_STEP * (number % ARROWS_ABREAST)
    return f"M{start.x + BOX_WIDTH} {start.y + middle} H{lane} V{target_y} H{end.x - 2}"


def _shorten(text: str, characters: int) -> str:
    return text if len(text) <= characters else f"{text[: characters - 1]}…"
