/** One line of the task list that the model keeps and the user sees. */
export interface Todo {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
}
