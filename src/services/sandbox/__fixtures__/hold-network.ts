/** `hold-network <packages> [release]`: holds a network of hosts, says by which socket, and waits or lets it go. */
import { holdNetwork } from '../domains.ts';

const [packages = '', release] = process.argv.slice(2);
const held = await holdNetwork({ domains: ['a.test'], packages });
const [socket] = /[\w/.-]+\.sock/.exec(held.network.around([], false, undefined).join(' ')) ?? [];
if (release) held.release();
else {
  process.send?.(socket);
  setInterval(() => {}, 60_000);
}
