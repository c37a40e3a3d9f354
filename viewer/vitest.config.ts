import { defineConfig } from 'vitest/config';

// Browser tests render in software: they run one after the other and have time.
export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts', 'tests/**/*.test.mjs'],
    environment: 'node',
    fileParallelism: false,
    testTimeout: 60000,
    hookTimeout: 60000,
  },
});
