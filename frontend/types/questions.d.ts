// Question matrices, answers and closure codes (phone/serializers.py, closures/codes.py).

type AnswerValue = string | number | string[];
type Stage = "safety" | "work" | "closing";

interface Matrix {
  edition: string;
  name: string;
  questions: Question[];
}

interface QuestionBase {
  code: string;
  text: string;
  hint?: string;
  stage: Stage;
  job_types: string[];
  /** True unless it says otherwise. */
  mandatory?: boolean;
  /** All of them must hold for the question to be asked. */
  when?: Condition[];
  /** Closure codes for which a closing question is asked. */
  closures?: string[];
  /** Answers that stop the work, and what to do then. */
  unsafe?: AnswerValue[];
  advice?: string;
  /** Answers after which nobody expects a success. */
  contradicting?: AnswerValue[];
  /** By network type: the usual window of a number. */
  expected?: Record<string, [low: number, high: number]>;
  unit?: string;
  /** Of a photo: whether one from the gallery will do, and whether print must be readable. */
  gallery?: boolean;
  label?: boolean;
  /** Of a text: whether the result of a line check answers it. */
  line_check?: boolean;
}

interface PictureSize {
  /** Pixels of the photo's long edge. */
  long_edge: number;
  /** Of the JPEG, 0 to 1. */
  quality: number;
}

interface PhotoQuestion extends QuestionBase, PictureSize {
  kind: "photo";
}

interface NumberQuestion extends QuestionBase {
  kind: "number";
  unit: string;
  /** Places after the point. */
  decimals: number;
  /** What may be typed, in `unit`. */
  minimum: number;
  maximum: number;
}

interface ChoiceQuestion extends QuestionBase {
  kind: "choice";
  choices: Choice[];
}

interface PlainQuestion extends QuestionBase {
  kind: "yes_no" | "text" | "signature";
}

type Question = NumberQuestion | ChoiceQuestion | PhotoQuestion | PlainQuestion;

interface Choice {
  code: string;
  text: string;
}

type Condition = { question: string } & ({ in: AnswerValue[] } | { equals: AnswerValue } | { not_equals: AnswerValue });

interface FlowOptions {
  jobType: string;
  /** By question code. */
  answers: Record<string, AnswerValue>;
  stages?: string[];
  closureCode?: string;
}

/** An answer as it is kept, or what is wrong with it. */
type ValidatedAnswer = { value: AnswerValue; problem?: undefined } | { problem: string; value?: undefined };

interface ClosureCode {
  code: string;
  description: string;
  in_trade_words: string;
  secondaries: { code: string; description: string }[];
  secondary_required: boolean;
  remarks_required?: boolean;
  succeeds: boolean;
  /** For the office only: nobody has been there. */
  without_visit?: boolean;
  /** For a site that is left because it is not safe. */
  from_safe_place?: boolean;
  without_access?: boolean;
  /** Why it is likely before the engineer chooses it. */
  signs?: ClosureSign[];
  /** How often it was used of late. */
  uses?: number;
}

type ClosureSign = { question?: string; equals?: AnswerValue; fact?: string };
