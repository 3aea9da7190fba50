/** What every command of the program works with: what was typed, the language, the streams, the harness. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Harness } from '../../harness/create-harness.ts';
import type { HarnessOptions } from '../../harness/options.ts';
import { visibleName } from '../../lib/text/visible.ts';
import { type ErrorData, ReinError } from '../../protocol/errors.ts';
import type { MessageKey, Params } from '../../services/i18n/dictionary.ts';
import { isLanguage, type Language, loadLanguage, renderError, t } from '../../services/i18n/translate.ts';
import { type CliOptions, usageError } from './flags.ts';
import { Output } from './output.ts';

/** What a command wants besides what was typed; `model` over the flag. */
export type HarnessNeeds = Pick<HarnessOptions, 'cwd' | 'interactive' | 'model'>;

/** What a command of the program works with: its options, its two streams, texts, and a harness once it needs one. */
export class Cli {
  readonly out = new Output(process.stdout);
  readonly err = new Output(process.stderr);
  /** Set by whoever runs the command; read when the program leaves. */
  exit = 0;
  #options: CliOptions | undefined;
  #lang: Language = 'en';
  #harness: Harness | undefined;
  /** The error that was shown last. */
  #shown: string | undefined;
  /** Warnings of the run that were shown. */
  readonly #warned = new Set<string>();

  /** What was typed. There once the arguments are read. */
  get options(): CliOptions {
    if (!this.#options) throw new Error('the arguments are not read yet');
    return this.#options;
  }

  set options(options: CliOptions) {
    this.#options = options;
  }

  get lang(): Language {
    return this.#lang;
  }

  t(key: MessageKey, params?: Params): string {
    return t(key, this.#lang, params);
  }

  async speak(lang: string): Promise<void> {
    this.#lang = isLanguage(lang) ? lang : 'en';
    await loadLanguage(this.#lang);
  }

  /** Speaks the language of the person, also where no harness was made. */
  async settle(wanted: unknown): Promise<void> {
    if (this.#harness) return;
    const { preferredLanguage } = await import('../../harness/doors/settings.ts');
    await this.speak(await preferredLanguage(typeof wanted === 'string' ? wanted : undefined));
  }

  /** The working folder: that of `--cd`, or of the process. Throws `E_FOLDER_MISSING`. */
  folder(path = this.options.cd ?? '.'): string {
    let folder = path;
    try {
      // Both fail where the folder that the program was started in is gone.
      folder = resolve(path);
      if (statSync(folder).isDirectory()) return folder;
    } catch (error) {
      throw new ReinError('E_FOLDER_MISSING', { path: folder }, error);
    }
    throw new ReinError('E_FOLDER_MISSING', { path: folder });
  }

  /** Makes the harness for this call of the program, and speaks its language from then on. */
  harness(needs: HarnessNeeds = {}): Promise<Harness> {
    return this.#make(needs);
  }

  /** The same for a command that shows or mends the configuration: what is wrong with it comes out beside the harness. */
  async inspect(): Promise<{ harness: Harness; problems: readonly ReinError[] }> {
    const problems: ReinError[] = [];
    const harness = await this.#make({}, (error) => problems.push(error));
    return { harness, problems };
  }

  async #make({ model, ...more }: HarnessNeeds, onInvalid?: (error: ReinError) => void): Promise<Harness> {
    const cwd = more.cwd ?? this.folder();
    const flags = { ...this.options.harness, ...(model !== undefined && { model }) };
    const { makeHarness } = await import('../../harness/create-harness.ts');
    const early: ErrorData[] = [];
    const warn = (warning: ErrorData) => (this.#harness ? this.warn(warning) : early.push(warning));
    this.#harness = await makeHarness({ ...more, cwd, flags, onWarning: warn }, onInvalid).catch(namingFlags);
    await this.speak(this.#harness.lang);
    for (const warning of early) this.warn(warning);
    return this.#harness;
  }

  /** Gives up what was opened; open runs stay open. What goes wrong then is shown, unless it has been: a full disk stays full. */
  async close(): Promise<void> {
    try {
      await this.#harness?.close();
    } catch (error) {
      if ((error as Error).message !== this.#shown) this.showError(error);
    }
  }

  /** Shows a warning, once until the next run: it never goes to where the result goes. */
  warn(warning: ErrorData): void {
    const { message } = renderError(warning, this.#lang);
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    this.err.line(this.t('cli.warning', { message: visibleName(message) }));
  }

  /** From now on each warning counts as new. */
  warnAnew(): void {
    this.#warned.clear();
  }

  /** Shows an error as one line with its hint, or with another that fits better. */
  showError(error: unknown, otherHint?: string): void {
    const { message, hint: ownHint } = renderError(error, this.#lang);
    const hint = otherHint ?? ownHint;
    this.#shown = (error as Error).message;
    this.err.line(`rein: ${visibleName(message)}`);
    if (hint) this.err.line(`  ${visibleName(hint)}`);
  }

  /** Shows where an error comes from, without what is secret. */
  async showCauses(error: unknown): Promise<void> {
    const { createTextRedactor } = await import('../../harness/doors/settings.ts');
    const redact = await createTextRedactor();
    for (let cause = (error as Error).cause; cause instanceof Error; cause = cause.cause) {
      const message = visibleName(redact(cause.message));
      this.err.line(`  ${this.t('cli.cause', { name: cause.name, message })}`);
    }
  }
}

const flagOf = { allow: '--allowedTools', deny: '--disallowedTools' };

/** What is wrong with a flag is said of the flag; the harness knows it as one more configuration. */
function namingFlags(error: unknown): never {
  const { file, key, detail } = ReinError.is(error) ? error.params : {};
  const [, kind] = /^permissions\.(allow|deny)\./.exec(String(key)) ?? [];
  if (file !== 'flags' || kind === undefined) throw error;
  throw usageError({ text: 'cli.usage.flagValue', flag: flagOf[kind as keyof typeof flagOf], detail });
}
