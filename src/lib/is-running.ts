/** True when a process has this number, whoever owns it. Another program may have got the number since. */
export function isRunning(pid: number): boolean {
  try {
    // Signal 0 is sent to nobody; only whether it could be is looked at.
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: unknown }).code === 'EPERM';
  }
}
