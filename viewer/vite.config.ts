import { defineConfig } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

// One page without any reference to other files: it is embedded into the program and works from disk.
export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true })],
  build: { target: 'es2022', outDir: 'dist', emptyOutDir: true, reportCompressedSize: false },
});
