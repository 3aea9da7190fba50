// The peers are installed apart, when they are measured; this is as much of their types as their loops need.
declare module 'ai' {
  export function tool(definition: object): object;
  export function jsonSchema(schema: object): object;
  export function stepCountIs(steps: number): object;
  export function streamText(options: object): { readonly textStream: AsyncIterable<string> };
}
declare module '@ai-sdk/openai-compatible' {
  export function createOpenAICompatible(options: object): (model: string) => object;
}
declare module '@earendil-works/pi-agent-core' {
  interface AgentEvent {
    readonly type: string;
    readonly assistantMessageEvent?: { readonly type: string; readonly delta: string };
  }
  export class Agent {
    readonly state: { readonly errorMessage?: string };
    constructor(options: object);
    subscribe(listener: (event: AgentEvent) => void): void;
    prompt(text: string): Promise<void>;
  }
}
declare module '@earendil-works/pi-ai/api/openai-completions' {
  export function streamSimple(...input: unknown[]): unknown;
}
