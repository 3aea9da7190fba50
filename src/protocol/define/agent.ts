/** An agent definition: who a sub-agent is and what it may use. Read from `agents/*.md`. */
export interface AgentDefinition {
  readonly name: string;
  /** When to choose it, for the model that delegates. */
  readonly description: string;
  /** The role: first section of its prompt. */
  readonly prompt: string;
  /** Names of the tools it may use; all that its parent has when absent. */
  readonly tools?: readonly string[];
  /** `provider/model`, or a model of the default provider; its parent's when absent. */
  readonly model?: string;
  readonly maxTurns?: number;
  readonly skills?: readonly string[];
  /** The file it was read from, or `built-in`. */
  readonly source: string;
}
