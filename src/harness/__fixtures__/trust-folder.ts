/** Says that the user trusts a folder, as it is now. */
import { grantTrust, reviewTrust } from '../doors/trust.ts';

/** `home` is `REIN_HOME`, `folder` a canonical path. */
export async function trustFolder(home: string, folder: string): Promise<void> {
  await grantTrust(await reviewTrust({ home, cwd: folder }));
}
