import { beforeAll, describe, expect, it } from 'vitest';
import type { Interrupt } from '../../../protocol/interrupt.ts';
import { loadLanguage } from '../../../services/i18n/translate.ts';
import { choiceLine, interruptLines, isCut, toDecision } from './decide.ts';

beforeAll(() => loadLanguage('en'));

const approval = (command: string, more: Partial<Interrupt> = {}): Interrupt => ({
  ...{ id: 'i', kind: 'approval', agent: 'main', digest: 'd', warnings: [], openedAt: 0 },
  call: { id: 'c', tool: 'bash', input: { command } },
  ...more,
});
const shown = (interrupt: Interrupt, whole?: boolean) => interruptLines(interrupt, 'en', whole).join('\n');

describe('what is shown of an approval', () => {
  it('security I2: in the short form the end is in sight, and that something is hidden; in the long form all of it', () => {
    const command = `echo ${'a'.repeat(5000)}; rm -rf /`;
    const lines = `${'echo a\n'.repeat(300)}rm -rf /`;
    for (const text of [command, lines]) {
      const interrupt = approval(text);
      expect(isCut(interrupt, 'en')).toBe(true);
      expect(shown(interrupt, false)).toMatch(/hidden …[\s\S]*rm -rf \/$/);
      expect(shown(interrupt, false).length).toBeLessThan(500);
      expect(shown(interrupt).replaceAll('\n      ', '\n')).toContain(text);
    }
    expect(isCut(approval('ls'), 'en')).toBe(false);
    expect(choiceLine(approval(command), 'en', true)).toContain('[v]');
    expect(toDecision(approval(command), 'v')).toBeUndefined();
  });

  it('security I3: nothing is pushed out of view', () => {
    for (const gap of [' '.repeat(300), '\t'.repeat(300), '\n'.repeat(300)]) {
      for (const whole of [true, false])
        expect(shown(approval(`ls${gap}; rm x`), whole)).toMatch(/⟨\d+ (blanks|empty lines)⟩|hidden …/);
      expect(shown(approval(`ls${gap}; rm x`)).length).toBeLessThan(120);
    }
  });

  it('security F3, C12: what is not visible is written out, in the call, its names, the rule and the agent', () => {
    for (const character of ['\u202e', '\u2066', '\u200b', '\u00ad', '\u{e0041}', '\x1b', '\x9b', '\x07']) {
      const name = `a${character}b`;
      const odd = approval(`ls ${name}`, {
        agent: name,
        rule: name,
        call: { id: 'c', tool: name, input: { [name]: name } },
      });
      const text = shown(odd);
      expect(text).not.toContain(character);
      expect(text.split(`\\u{${character.codePointAt(0)!.toString(16)}}`)).toHaveLength(6);
    }
  });

  it('security F4: warnings are sentences, with the host as it is', () => {
    const warnings = ['foreignHost:xn--xample-2of.com', 'oddAddress:[::1]', 'manySpaces'];
    expect(interruptLines(approval('x', { warnings }), 'en').filter((line) => line.startsWith('  !'))).toEqual([
      '  ! the host name has letters that look like others; in full it is xn--xample-2of.com',
      '  ! the address hides where it leads; the host is [::1]',
      '  ! contains long gaps that may push text out of view',
    ]);
  });
});
