/** What stands in a text where a secret was taken out. */

const marker = /\[redacted: [^\]\n]{1,80}\]/g;

/** The marker for a secret; `name` says which, never what. */
export function redactionMarker(name: string): string {
  return `[redacted: ${name}]`;
}

/** How many markers a text holds. */
export function countRedactionMarkers(text: string): number {
  return text.match(marker)?.length ?? 0;
}
