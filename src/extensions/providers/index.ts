// Written by scripts/generate-indexes.ts (npm run generate). Do not edit.

import anthropic from './anthropic.ts';
import custom from './custom.ts';
import gemini from './gemini.ts';
import offline from './offline.ts';
import ollama from './ollama.ts';
import openai from './openai.ts';
import openrouter from './openrouter.ts';

export const providers = [
  anthropic,
  custom,
  gemini,
  offline,
  ollama,
  openai,
  openrouter,
] as const;
