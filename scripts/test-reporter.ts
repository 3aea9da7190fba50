// Writes the counts that `npm test` prints: a test that did not pass counts as failed (skipped ones too), and so does
// a file that does not load and every unhandled error.
import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

export interface TestCounts {
  passed: number;
  failed: number;
}

export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const counts: TestCounts = { passed: 0, failed: unhandledErrors.length };
    for (const module of modules) {
      let failedInside = 0;
      for (const test of module.children.allTests()) {
        if (test.result().state === 'passed') counts.passed += 1;
        else failedInside += 1;
      }
      // A module can fail although no test in it did: a syntax error, a broken import, a failing beforeAll.
      counts.failed += failedInside === 0 && module.state() !== 'passed' ? 1 : failedInside;
    }
    writeFileSync(process.env.REIN_TEST_RESULTS!, JSON.stringify(counts));
  }
}
