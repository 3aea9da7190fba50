/** Text of strangers in a frame of tags: it cannot close the frame, and nothing in it is hidden. */
import { revealHidden, visibleName, visibleText } from './visible.ts';

/** `<tag name="value">`, the text, `</tag>`, each on lines of their own. Closing tags of that name in the text are escaped. */
export function frame(tag: string, attributes: Readonly<Record<string, string>>, text: string): string {
  const shown = Object.entries(attributes).map(([name, value]) => ` ${name}=${JSON.stringify(visibleName(value))}`);
  return `<${tag}${shown.join('')}>\n${framed(tag, text)}\n</${tag}>`;
}

/** The text as it may stand between `<tag>` and `</tag>`. */
export function framed(tag: string, text: string): string {
  const closing = new RegExp(`</(?=\\s*${tag}\\b)`, 'gi');
  return visibleText(revealHidden(text.trim())).replace(closing, '<\\/');
}
