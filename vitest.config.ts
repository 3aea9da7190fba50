import { existsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { entryPoints } from './scripts/entry-points.ts';

// In tests the package's own name means its sources: `rein`, `rein/testing` and so on.
const alias = entryPoints().map(({ specifier, source }) => ({
  find: new RegExp(`^${specifier}$`),
  replacement: `${import.meta.dirname}/${source}`,
}));

export default defineConfig({
  resolve: { alias },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: existsSync('test/global-setup.ts') ? ['test/global-setup.ts'] : [],
    setupFiles: existsSync('test/setup.ts') ? ['test/setup.ts'] : [],
    reporters: process.env.REIN_TEST_RESULTS ? ['default', './scripts/test-reporter.ts'] : ['default'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 15_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    cache: false,
    coverage: { provider: 'v8', include: ['src/**/*.ts'], exclude: ['**/*.test.ts', '**/index.ts'] },
  },
});
