// A tool: `$REIN_HOME/tools/word-count.ts`.
import { defineTool, z } from 'rein';

export default defineTool({
  name: 'word_count',
  description: 'Counts the words of a text file.',
  input: z.object({ file_path: z.string() }),
  risk: 'read',
  async execute({ file_path }, { workspace }) {
    const { bytes } = await workspace.readWhole(file_path, 1_000_000);
    const words = new TextDecoder().decode(bytes).split(/\s+/).filter(Boolean);
    return `${words.length} words`;
  },
});
