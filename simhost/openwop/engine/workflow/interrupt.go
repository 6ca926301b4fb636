package workflow

// AnswerVariable takes the answer to the question of a clarification.
const AnswerVariable = "answer"

// Question is the id of the one question that a clarification of this engine asks.
const Question = "q1"
