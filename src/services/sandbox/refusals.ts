/** What a failed command says when it was the sandbox that refused something, and what to do then. Pure. */

const networkFailures =
  /could not resolve|couldn't resolve|name or service not known|temporary failure in name resolution|network is unreachable|no route to host|enetunreach|eai_again|enotfound|getaddrinfo|name resolution|unable to resolve|unknown host|dns error|failed to lookup address|dial tcp|no such host|connection refused|econnrefused|failed to connect|can't connect|could not connect/i;
const proxyRefusals = /blocked by network allowlist|connect tunnel failed|code 403 from proxy|tunneling socket/i;
const readOnlyFailures = /read-only file system|\berofs\b/i;

/** Sentences about the refusals that the output of a command speaks of. `hosts`: what can be reached without `network`. */
export function explainRefusals(output: string, network: boolean, hosts?: readonly string[]): string[] {
  const notes: string[] = [];
  if (hosts && (networkFailures.test(output) || proxyRefusals.test(output))) {
    notes.push(
      `commands reach these hosts only, over HTTP and HTTPS: ${hosts.join(', ')}. If another is needed, send the same call again with network: true, which has to be approved. A server and what talks to it have to be in one command`,
    );
  } else if (!network && networkFailures.test(output)) {
    notes.push(
      'commands have no network here; if it is needed, send the same call again with network: true, which has to be approved. A server and what talks to it have to be in one command',
    );
  }
  if (readOnlyFailures.test(output)) {
    notes.push(
      'outside the workspace and /tmp everything is read-only for commands, and so are settings that run code (such as .git/config and .git/hooks)',
    );
  }
  return notes;
}
