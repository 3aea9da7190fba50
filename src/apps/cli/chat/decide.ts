/** Interrupts as questions on a terminal, and what is typed as decisions. Pure. */
import { countGaps, shortForm } from '../../../lib/text/short-form.ts';
import { visibleName, visibleText } from '../../../lib/text/visible.ts';
import { type Decision, fittingDecisions, type Interrupt } from '../../../protocol/interrupt.ts';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import type { Plan } from '../../../protocol/plan.ts';
import { type Language, label, t } from '../../../services/i18n/translate.ts';

/** What is shown of an interrupt. Long values are cut to their beginning and end, unless all is wanted. */
export function interruptLines(interrupt: Interrupt, lang: Language, whole = true): string[] {
  const agent = visibleName(interrupt.agent);
  if (interrupt.kind === 'question') {
    const options = (interrupt.options ?? []).map((option, index) => `  ${index + 1}. ${visibleText(option)}`);
    return [t('cli.ask.question', lang, { agent }), visibleText(interrupt.question ?? ''), ...options];
  }
  const { call, plan, warnings, rule } = interrupt;
  const shorten = (text: string) => (whole ? text : toShort(text, lang).text);
  const fields = fieldLines(call?.input ?? plan ?? {}, shorten, lang);
  const sum = plan ? planLines(plan as unknown as Plan, lang) : [];
  const body = call ? [`  ${visibleName(call.tool)}`, ...fields] : fields;
  const odd = warnings.map((warning) => `  ! ${shorten(warningText(warning, lang))}`);
  const scope = rule === undefined ? [] : [`  ${t('cli.ask.rule', lang, { rule: visibleName(rule) })}`];
  return [t(call ? 'cli.ask.approval' : 'cli.ask.plan', lang, { agent }), ...sum, ...body, ...odd, ...scope];
}

/** What a person wants to know first: what would be done, and why they are asked. All of the plan follows. */
function planLines({ steps, requires_user_confirmation: wanted }: Plan, lang: Language): string[] {
  const risky = steps.flatMap(({ risk_level }, at) => (risk_level === 'high' ? [at + 1] : []));
  const list = steps.map(({ description, required_tool, risk_level }, at) => {
    return `  ${at + 1}. ${visibleName(description)} (${visibleName(required_tool)}, ${visibleName(risk_level)})`;
  });
  return [
    ...list,
    ...(risky.length > 0 ? [`  ${t('cli.ask.planRisky', lang, { steps: risky.join(', ') })}`] : []),
    ...(wanted ? [`  ${t('cli.ask.planWanted', lang)}`] : []),
  ];
}

/** True when not all of a call or plan is in the short form: nobody may approve what they have not seen. */
export function isCut({ call, plan, warnings }: Interrupt, lang: Language): boolean {
  const texts = Object.values(call?.input ?? plan ?? {}).map((value) => toText(value, lang));
  const odd = warnings.map((warning) => warningText(warning, lang));
  return [...texts, ...odd].some((text) => toShort(text, lang).characters > 0);
}

function toShort(text: string, lang: Language) {
  return shortForm(text, ({ lines, characters }) =>
    lines > 0 ? t('cli.ask.hiddenLines', lang, { lines }) : ` ${t('cli.ask.hiddenCharacters', lang, { characters })} `,
  );
}

function warningText(warning: string, lang: Language): string {
  const [code = '', ...detail] = warning.split(':');
  const key = `permissions.warnings.${code}`;
  const text = label(key, lang, { detail: detail.join(':') });
  // What is wrong with a plan is a text of its own.
  return visibleText(text === key ? warning : text);
}

/** A value as it is read: nothing hides, and no gap pushes what follows out of sight. */
function toText(value: Json, lang: Language): string {
  return countGaps(visibleText(typeof value === 'string' ? value : JSON.stringify(value, null, 2)), {
    blanks: (count) => t('cli.ask.blanks', lang, { count }),
    lines: (count) => t('cli.ask.emptyLines', lang, { count }),
  });
}

function fieldLines(
  fields: Readonly<Record<string, Json>>,
  shorten: (text: string) => string,
  lang: Language,
): string[] {
  return Object.entries(fields).map(([name, value]) => {
    const text = shorten(toText(value, lang));
    return `    ${visibleName(name)}: ${text.includes('\n') ? `\n${text.replace(/^/gm, '      ')}` : text}`;
  });
}

/** The line that asks for the answer. */
export function choiceLine(interrupt: Interrupt, lang: Language, cut = false): string {
  if (interrupt.kind === 'question') return '? ';
  const forRule = fittingDecisions(interrupt).includes('approve_session');
  const choices = t(forRule ? 'cli.ask.choicesRule' : 'cli.ask.choices', lang);
  return cut ? `${t('cli.ask.view', lang)} ${choices}` : choices;
}

/** Whether a line says that the person wants to change what would run. */
export function wantsEdit(interrupt: Interrupt, line = ''): boolean {
  return /^e(dit)?$/i.test(line.trim()) && fittingDecisions(interrupt).includes('edit');
}

/** What would run as one line of JSON to be changed; what is not visible stands as an escape of JSON. */
export function editText({ call, plan }: Interrupt): string {
  // The sign for a line end is one too: in the line being edited it would mean one.
  const hidden = /[\u2424\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
  return JSON.stringify(call?.input ?? plan ?? {}).replace(hidden, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** The edit that a line of JSON means; undefined when it is no object. */
export function readEdit({ digest }: Interrupt, line: string): Decision | undefined {
  try {
    const input: unknown = JSON.parse(line);
    const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
    return isObject ? { decision: 'edit', digest, input: input as JsonObject } : undefined;
  } catch {
    return undefined;
  }
}

/** The decision that a line means; undefined when it means none and must be asked again. */
export function toDecision(interrupt: Interrupt, line: string): Decision | undefined {
  const { digest, options = [] } = interrupt;
  const text = line.trim();
  if (text === '') return undefined;
  if (interrupt.kind === 'question') {
    return { decision: 'answer', digest, answer: options[Number(text) - 1] ?? text };
  }
  const fitting = fittingDecisions(interrupt);
  const kind = ({ y: 'approve', yes: 'approve', s: 'approve_session', a: 'approve_always' } as const)[
    text.toLowerCase()
  ];
  if (kind !== undefined) return fitting.includes(kind) ? { decision: kind, digest } : undefined;
  if (/^(n|no)$/i.test(text)) return { decision: 'reject', digest };
  // One letter is a slip of the finger, not a reason.
  return [...text].length === 1 && /[\x21-\x7e]/.test(text) ? undefined : { decision: 'reject', digest, reason: text };
}
