/** Interrupts as questions on a terminal, and what is typed as decisions. Pure. */
import { visibleName, visibleText } from '../../../lib/visible.ts';
import { type Decision, fittingDecisions, type Interrupt } from '../../../protocol/interrupt.ts';
import type { Json } from '../../../protocol/json.ts';
import { type Language, t } from '../../../services/i18n/translate.ts';

/** What is shown of an interrupt: all of it, so that what is shown is what runs. */
export function interruptLines(interrupt: Interrupt, lang: Language): string[] {
  const agent = visibleName(interrupt.agent);
  if (interrupt.kind === 'question') {
    const options = (interrupt.options ?? []).map((option, index) => `  ${index + 1}. ${visibleText(option)}`);
    return [t('cli.ask.question', lang, { agent }), visibleText(interrupt.question ?? ''), ...options];
  }
  const { call, plan, warnings, rule } = interrupt;
  const body = call ? [`  ${visibleName(call.tool)}`, ...fieldLines(call.input)] : fieldLines(plan ?? {});
  const odd = warnings.map((warning) => `  ! ${visibleName(warning)}`);
  const scope = rule === undefined ? [] : [`  ${t('cli.ask.rule', lang, { rule: visibleName(rule) })}`];
  return [t(call ? 'cli.ask.approval' : 'cli.ask.plan', lang, { agent }), ...body, ...odd, ...scope];
}

function fieldLines(fields: Readonly<Record<string, Json>>): string[] {
  return Object.entries(fields).map(([name, value]) => {
    const text = visibleText(typeof value === 'string' ? value : JSON.stringify(value, null, 2));
    return `    ${visibleName(name)}: ${text.includes('\n') ? `\n${text.replace(/^/gm, '      ')}` : text}`;
  });
}

/** The line that asks for the answer. */
export function choiceLine(interrupt: Interrupt, lang: Language): string {
  if (interrupt.kind === 'question') return '? ';
  const forRule = fittingDecisions(interrupt).includes('approve_session');
  return t(forRule ? 'cli.ask.choicesRule' : 'cli.ask.choices', lang);
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
