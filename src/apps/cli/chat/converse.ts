/** A conversation line by line: prompts, slash commands, approvals and questions. */
import type { Harness } from '../../../harness/create-harness.ts';
import type { Session } from '../../../harness/session.ts';
import { visibleName } from '../../../lib/text/visible.ts';
import { exitCodes, ReinError } from '../../../protocol/errors.ts';
import type { Decision, Interrupt } from '../../../protocol/interrupt.ts';
import type { Cli, HarnessNeeds } from '../cli.ts';
import { usageError } from '../flags.ts';
import { openSession } from '../open-session.ts';
import { isSuccess } from '../print/result.ts';
import { leaveOnHangup } from '../signals.ts';
import { Lines } from './ask.ts';
import { choiceLine, editText, interruptLines, isCut, readEdit, toDecision, wantsEdit } from './decide.ts';
import { runSlashCommand } from './slash.ts';
import { LiveTranscript, lastWords } from './transcript.ts';

/** Talks until the input ends or the person leaves. Throws what opening the first session throws. */
export async function converse(cli: Cli, needs: HarnessNeeds = {}): Promise<void> {
  const { images, outputFormat } = cli.options;
  if (images.length > 0) throw usageError({ text: 'cli.usage.needs', first: '--image', second: '--print' });
  if (outputFormat !== 'text')
    throw usageError({ text: 'cli.usage.needs', first: '--output-format', second: '--print' });
  const conversation = new Conversation(cli, { ...needs, interactive: true });
  await conversation.open();
  await conversation.talk();
}

class Conversation {
  readonly #cli: Cli;
  readonly #lines: Lines;
  #needs: HarnessNeeds;
  #harness!: Harness;
  #session!: Session;
  /** There while a run goes on; aborts what is being asked. */
  #running: AbortController | undefined;
  #asking: Promise<void> | undefined;
  /** Questions of the session that have an answer, which the run may not have taken up yet. */
  #answered = new Set<string>();
  #wantsToLeave = false;

  constructor(cli: Cli, needs: HarnessNeeds) {
    this.#cli = cli;
    this.#needs = needs;
    const isTerminal = process.stdin.isTTY === true && cli.out.isTerminal;
    this.#lines = new Lines(isTerminal, () => this.#interrupt());
    process.on('SIGINT', () => this.#interrupt());
    leaveOnHangup(cli);
  }

  async open(): Promise<void> {
    this.#harness = await this.#cli.harness(this.#needs);
    this.#session = await openSession(this.#cli, this.#harness);
    if (!this.#cli.out.isTerminal) return;
    this.#cli.err.line(this.#cli.t('cli.chat.hello', { model: this.#session.state?.model, folder: this.#harness.cwd }));
    for (const line of lastWords(this.#session.state?.messages ?? [], this.#cli.lang)) this.#cli.err.line(line);
    const { commands } = await this.#harness.extensions();
    this.#lines.complete([...commands.keys()].map((name) => `/${name}`));
  }

  async talk(): Promise<void> {
    if (this.#session.hasOpenRun) await this.#run(() => this.#session.resume());
    for (;;) {
      const line = await this.#lines.next('> ');
      if (line === undefined || this.#cli.out.closed.aborted) break;
      this.#wantsToLeave = false;
      if (line.trim() === '') continue;
      try {
        if (!line.startsWith('/')) await this.#ask(line);
        else if (!(await this.#command(line))) break;
      } catch (error) {
        const isWord = ReinError.is(error) && error.code === 'E_USAGE';
        this.#cli.showError(error, isWord ? this.#cli.t('cli.chat.commands') : undefined);
      }
    }
    this.#lines.close();
  }

  async #ask(text: string): Promise<void> {
    await this.#run(() => this.#session.run(text));
  }

  async #run(work: () => ReturnType<Session['resume']>): Promise<void> {
    const transcript = new LiveTranscript(this.#cli, this.#session.id);
    this.#cli.warnAnew();
    this.#running = new AbortController();
    const stop = this.#session.listen((event) => {
      transcript.see(event);
      if (event.type === 'interrupt-open') this.#askOpen(transcript);
    });
    try {
      this.#askOpen(transcript);
      const outcome = await work();
      transcript.endLine();
      // The texts of the limits speak to those who left; here the conversation just goes on.
      const isLimit = outcome.stop !== 'error';
      if (!isSuccess(outcome) && outcome.error) {
        this.#cli.showError(outcome.error, isLimit ? this.#cli.t('cli.chat.goOn') : undefined);
      }
    } finally {
      stop();
      this.#running.abort();
      this.#running = undefined;
      await this.#asking;
    }
  }

  #askOpen(transcript: LiveTranscript): void {
    this.#asking ??= this.#answerAll(transcript).finally(() => {
      this.#asking = undefined;
    });
  }

  /** Asks what is open, one after the other. */
  async #answerAll(transcript: LiveTranscript): Promise<void> {
    const signal = this.#running?.signal;
    const seen = new Set<string>();
    for (;;) {
      const interrupt = (await this.#session.interrupts()).find(({ id }) => !this.#answered.has(id));
      if (!interrupt || signal?.aborted) return;
      const cut = this.#lines.isTerminal && isCut(interrupt, this.#cli.lang) && !seen.has(interrupt.id);
      transcript.endLine();
      for (const line of interruptLines(interrupt, this.#cli.lang, !cut)) this.#cli.err.line(line);
      // Whatever was typed before all of it was there was typed for something else.
      const dropped = await this.#lines.forget();
      if (dropped)
        this.#cli.err.line(this.#cli.t('cli.chat.dropped', { text: visibleName(dropped.replaceAll('\n', '⏎')) }));
      const line = await this.#lines.next(choiceLine(interrupt, this.#cli.lang, cut), signal);
      if (signal?.aborted) return;
      const decision = wantsEdit(interrupt, line)
        ? await this.#edit(interrupt, signal)
        : line === undefined
          ? { decision: 'reject' as const, digest: interrupt.digest }
          : toDecision(interrupt, line);
      // Whoever wants to approve what was cut sees all of it first.
      if (cut && (line?.trim().toLowerCase() === 'v' || decision?.decision.startsWith('approve'))) {
        seen.add(interrupt.id);
        continue;
      }
      if (!decision) continue;
      this.#answered.add(interrupt.id);
      await this.#session.answer(interrupt.id, decision).catch((error: unknown) => this.#cli.showError(error));
    }
  }

  /** The call as the person wants it, written as JSON; undefined when it is none. */
  async #edit(interrupt: Interrupt, signal?: AbortSignal): Promise<Decision | undefined> {
    const line = await this.#lines.next(this.#cli.t('cli.ask.edit'), signal, editText(interrupt));
    const decision = line === undefined ? undefined : readEdit(interrupt, line);
    if (!decision && line) this.#cli.err.line(this.#cli.t('cli.ask.noObject'));
    return decision;
  }

  /** False when the person leaves. */
  async #command(line: string): Promise<boolean> {
    const output = await runSlashCommand(line, {
      cli: this.#cli,
      harness: this.#harness,
      session: this.#session,
      setModel: (model) => this.#reopen({ ...this.#needs, model }),
    });
    switch (output.type) {
      case 'text':
        this.#cli.out.line(output.text);
        return true;
      case 'prompt':
        await this.#ask(output.text);
        return true;
      case 'open':
        await this.#switchTo(output.session);
        return true;
      case 'pick': {
        this.#cli.out.line(output.title);
        for (const [index, item] of output.items.entries()) this.#cli.out.line(`  ${index + 1}. ${item.label}`);
        const line = await this.#lines.next('? ');
        const choice = output.items[Number(line) - 1];
        if (!choice && line?.trim())
          this.#cli.err.line(this.#cli.t('cli.ask.noChoice', { count: output.items.length }));
        return choice ? this.#command(`/${output.command} ${choice.value}`) : true;
      }
      case 'quit':
        return false;
    }
  }

  async #switchTo(id: string | undefined): Promise<void> {
    const next = await this.#harness.open({ resume: id });
    await this.#session.close();
    this.#session = next;
    this.#answered = new Set();
  }

  /** The same session with another harness, such as one with another model. */
  async #reopen(needs: HarnessNeeds): Promise<void> {
    const old = this.#harness;
    const { id } = this.#session;
    await this.#session.close();
    try {
      this.#harness = await this.#cli.harness(needs);
      this.#session = await this.#harness.open({ resume: id });
      this.#needs = needs;
      await old.close();
    } catch (error) {
      this.#harness = old;
      this.#session = await old.open({ resume: id });
      throw error;
    }
  }

  /** Ctrl-C: ends the run; where none goes on, the second one leaves. */
  #interrupt(): void {
    if (this.#running) {
      this.#running.abort();
      this.#session.abort().catch((error: unknown) => this.#cli.showError(error));
    } else if (this.#wantsToLeave) {
      this.#cli.exit = exitCodes.interrupted;
      this.#lines.close();
    } else {
      this.#wantsToLeave = true;
      this.#cli.err.line(this.#cli.t('cli.chat.leave'));
    }
  }
}
