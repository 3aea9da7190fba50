/**
 * The system-call filter of the sandbox, as the classic BPF program that bubblewrap loads. Pure.
 *
 * What namespaces do not hold is refused here: sockets of every family but the internet's own (unix sockets reach the
 * host's daemons through any read-only mount, vsock reaches the host of a virtual machine), `io_uring`, which opens
 * sockets past this filter, new user namespaces, which give capabilities back, the kernel's key rings, which are the
 * user's own, and what no command needs but exploits do (`bpf`, `perf_event_open`, `userfaultfd`, file handles).
 */

/** Numbers by name, and how the kernel calls the architecture. */
interface Architecture {
  readonly audit: number;
  readonly calls: Readonly<Record<CallName, number>>;
}

type CallName = (typeof refused)[number] | (typeof missing)[number] | (typeof flagged)[number] | 'socket';

/** Answered with EPERM. */
const refused = [
  ...(['setns', 'keyctl', 'add_key', 'request_key', 'bpf', 'perf_event_open', 'userfaultfd'] as const),
  ...(['open_by_handle_at', 'kexec_load', 'io_uring_enter', 'io_uring_register'] as const),
] as const;

/** Answered as if the kernel did not have them, so that libraries take the older way: `clone3` hides its flags. */
const missing = ['io_uring_setup', 'clone3'] as const;

/** Refused when the first argument asks for a user namespace. */
const flagged = ['clone', 'unshare'] as const;

const architectures: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    calls: {
      ...{ socket: 41, clone: 56, unshare: 272, setns: 308, clone3: 435, open_by_handle_at: 304, kexec_load: 246 },
      ...{ io_uring_setup: 425, io_uring_enter: 426, io_uring_register: 427, bpf: 321, perf_event_open: 298 },
      ...{ keyctl: 250, add_key: 248, request_key: 249, userfaultfd: 323 },
    },
  },
  arm64: {
    audit: 0xc00000b7,
    calls: {
      ...{ socket: 198, clone: 220, unshare: 97, setns: 268, clone3: 435, open_by_handle_at: 265, kexec_load: 104 },
      ...{ io_uring_setup: 425, io_uring_enter: 426, io_uring_register: 427, bpf: 280, perf_event_open: 241 },
      ...{ keyctl: 219, add_key: 217, request_key: 218, userfaultfd: 282 },
    },
  },
};

/** `AF_INET`, `AF_INET6`, `AF_NETLINK`: the network namespace holds these. */
const allowedFamilies = [2, 10, 16];
const newUserNamespace = 0x10000000;
/** Numbers from here on are the x32 variants of all calls. */
const x32 = 0x40000000;

const [numberAt, archAt, firstArgumentAt] = [0, 4, 16];
const load = 0x20;
const [jumpEqual, jumpAtLeast, jumpSet] = [0x15, 0x35, 0x45];
const giveBack = 0x06;
const [allow, kill] = [0x7fff0000, 0x80000000];
const errno = (number: number) => 0x00050000 | number;
const [notPermitted, noSuchCall] = [errno(1), errno(38)];

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** The program for a processor as Node names it; `undefined` where it is not known. */
export function buildFilter(processor: string): Uint8Array | undefined {
  const architecture = architectures[processor];
  if (!architecture) return undefined;
  const { audit, calls } = architecture;
  const answer = (name: CallName, value: number): Instruction[] => [
    [jumpEqual, 0, 1, calls[name]],
    [giveBack, 0, 0, value],
  ];
  return encode([
    [load, 0, 0, archAt],
    [jumpEqual, 1, 0, audit],
    [giveBack, 0, 0, kill],
    [load, 0, 0, numberAt],
    [jumpAtLeast, 0, 1, x32],
    [giveBack, 0, 0, noSuchCall],
    ...refused.flatMap((name) => answer(name, notPermitted)),
    ...missing.flatMap((name) => answer(name, noSuchCall)),
    ...flagged.flatMap((name): Instruction[] => [
      [jumpEqual, 0, 4, calls[name]],
      [load, 0, 0, firstArgumentAt],
      [jumpSet, 0, 1, newUserNamespace],
      [giveBack, 0, 0, notPermitted],
      [giveBack, 0, 0, allow],
    ]),
    [jumpEqual, 0, allowedFamilies.length + 2, calls.socket],
    [load, 0, 0, firstArgumentAt],
    ...allowedFamilies.map((family, n): Instruction => [jumpEqual, allowedFamilies.length - n, 0, family]),
    [giveBack, 0, 0, notPermitted],
    [giveBack, 0, 0, allow],
  ]);
}

function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(program.length * 8));
  for (const [n, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.setUint16(n * 8, code, true);
    bytes.setUint8(n * 8 + 2, ifTrue);
    bytes.setUint8(n * 8 + 3, ifFalse);
    bytes.setUint32(n * 8 + 4, value, true);
  }
  return new Uint8Array(bytes.buffer);
}
