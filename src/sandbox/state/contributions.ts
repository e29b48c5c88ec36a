/** An answer to the assignment of a lesson. */
export interface AnswerRecord {
  readonly id: number;
  readonly student_id: number;
  readonly lesson_id: number;
  readonly question: string;
  readonly answer: string;
  readonly created_at: number;
}

export interface ProjectPostRecord {
  readonly id: number;
  readonly student_id: number;
  readonly project_id: number;
  readonly title: string;
  readonly content: string;
  readonly created_at: number;
}
