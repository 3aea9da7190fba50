/** What is wrong with an answer: in English for the model, as a text of the dictionary for people. */

/** An answer that should hold JSON and holds none. */
export const noJson = 'There is no JSON in it.';

/** The `detail` of an error; what a schema's check says stays as it is. */
export function toDetail(problem: string): string | { readonly text: 'plan.noJson' } {
  return problem === noJson ? { text: 'plan.noJson' } : problem;
}
