/** Takes keys out of texts that come from servers and the network, before they become part of an error. */

const keyLike: readonly RegExp[] = [
  /\b(?:sk|pk|rk|gsk|xai|key|tok|ghp|gho|pplx|csk|nvapi|hf|r8)[-_][A-Za-z0-9*._-]{6,}/g,
  /\bAIza[A-Za-z0-9_-]{10,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_.-]+/g,
  /(?<=\b(?:bearer|basic)\s+)[A-Za-z0-9+/=._~-]{6,}/gi,
  /(?<=\b(?:api[ _-]?key|token|secret|password)(?: provided)?\s*[=:]\s*["']?)[^\s"',;&]{4,}/gi,
  /(?<=[?&](?:key|api[_-]?key|access_token|token)=)[^\s&"']+/gi,
  /(?<=:\/\/)[^\s/@]+@/g,
];

/** `text` without the given secrets and without anything that looks like a key or like userinfo in a URL. */
export function redactSecrets(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, '[redacted]');
  for (const pattern of keyLike)
    clean = clean.replace(pattern, (found) => (found.endsWith('@') ? '[redacted]@' : '[redacted]'));
  return clean;
}
