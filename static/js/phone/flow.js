// Which questions are asked, in which order: the same function as closures/flow.py.
// tests/data/flow_vectors.json runs against both. `matrix.questions` is the matrix file's own list.

export const STAGES = ["safety", "work", "closing"];

/** @param {Matrix} matrix @param {FlowOptions} options */
export function applicableQuestions(matrix, { jobType, answers, stages = STAGES, closureCode = "" }) {
  /** @type {Map<string, Question>} */
  const applying = new Map();
  for (const question of matrix.questions) {
    const fits = question.job_types.includes(jobType) && fitsClosure(question, closureCode);
    if (fits && (question.when ?? []).every((condition) => holds(condition, applying, answers))) {
      applying.set(question.code, question);
    }
  }
  return [...applying.values()].filter((question) => stages.includes(question.stage));
}

/** @param {Matrix} matrix @param {FlowOptions} options */
export function missingQuestions(matrix, options) {
  return applicableQuestions(matrix, options).filter(
    (question) => (question.mandatory ?? true) && !has(options.answers, question.code),
  );
}

// The safety questions that are answered so that the work stops.
/** @param {Matrix} matrix @param {FlowOptions} options */
export function unsafeAnswers(matrix, { jobType, answers }) {
  return applicableQuestions(matrix, { jobType, answers, stages: ["safety"] }).filter(({ code, unsafe: stops = [] }) => stops.includes(answers[code]));
}

/** @param {Question} question @param {string} closureCode */
function fitsClosure(question, closureCode) {
  return question.stage !== "closing" || (question.closures ?? []).includes(closureCode);
}

/** @param {Condition} condition @param {Map<string, Question>} applying @param {FlowOptions["answers"]} answers */
function holds(condition, applying, answers) {
  if (!applying.has(condition.question) || !has(answers, condition.question)) return false;
  const answer = answers[condition.question];
  if ("in" in condition) return condition.in.includes(answer);
  if ("equals" in condition) return condition.equals === answer;
  return condition.not_equals !== answer;
}

/** @param {FlowOptions["answers"]} answers @param {string} code */
function has(answers, code) {
  return Object.hasOwn(answers, code);
}
