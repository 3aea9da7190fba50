import { beforeAll, describe, expect, it } from 'vitest';
import { loadLanguage } from '../../../services/i18n/translate.ts';
import { verificationLines } from './plan-progress.ts';

describe('verificationLines', () => {
  beforeAll(() => loadLanguage('en'));

  it('names the files that became others, with what is invisible made visible', () => {
    const checks = [{ criterion: 'a.txt says yes', ok: true }];
    const evidence = { seq: 9, files: 'a hash', voided: 'files', changed: ['a.txt', 'b\u202etxt.exe'] };
    expect(verificationLines({ status: 'failed', reason: 'voided', checks, evidence }, 'en')).toEqual([
      'Failed: something was changed during the checks or after them.',
      '  a.txt',
      expect.stringMatching(/^ {2}b\S*202e\S*txt\.exe$/i),
    ]);
  });
});
