/** A streamed answer, read with the least work that can do it. */

interface ToolCall {
  id: string;
  readonly type: 'function';
  readonly function: { name: string; arguments: string };
}

export interface Reply {
  text: string;
  readonly calls: ToolCall[];
  read(piece: string): void;
}

export function createReply(onText: (text: string) => void): Reply {
  let rest = '';
  return {
    text: '',
    calls: [],
    read(piece) {
      const buffer = rest + piece;
      let from = 0;
      for (let end = buffer.indexOf('\n\n'); end >= 0; end = buffer.indexOf('\n\n', from)) {
        const data = buffer.slice(from + 'data: '.length, end);
        from = end + 2;
        const delta = data === '[DONE]' ? undefined : JSON.parse(data).choices[0]?.delta;
        if (delta?.content) {
          this.text += delta.content;
          onText(delta.content);
        }
        for (const part of delta?.tool_calls ?? []) {
          this.calls[part.index] ??= { id: '', type: 'function', function: { name: '', arguments: '' } };
          const call = this.calls[part.index]!;
          call.id ||= part.id;
          call.function.name ||= part.function.name;
          call.function.arguments += part.function.arguments;
        }
      }
      rest = buffer.slice(from);
    },
  };
}
