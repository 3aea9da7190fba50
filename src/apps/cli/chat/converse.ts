import type { Cli } from '../cli.ts';
export async function converse(_cli: Cli): Promise<void> {}
