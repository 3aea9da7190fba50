/** One redactor, at ingestion: what it takes out reaches neither model nor log nor screen. */

/** Shorter values are no secrets, and would be found everywhere. */
const shortestSecret = 8;

/**
 * Makes a function that replaces every known secret value in a text by `[redacted: NAME]`. `secrets` are values by the
 * name of their variable.
 */
export function createRedactor(secrets: Iterable<readonly [name: string, value: string]>): (text: string) => string {
  const known = [...secrets].filter(([, value]) => value.length >= shortestSecret);
  // A secret that contains another one goes first.
  known.sort(([, a], [, b]) => b.length - a.length);
  return (text) => known.reduce((clean, [name, value]) => clean.replaceAll(value, () => `[redacted: ${name}]`), text);
}

/** Variables whose values are secrets, by their names. */
export function secretVariables(variables: Readonly<Record<string, string | undefined>>): [string, string][] {
  return Object.entries(variables).filter((entry): entry is [string, string] => {
    const [name, value] = entry;
    return value !== undefined && /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i.test(name);
  });
}
