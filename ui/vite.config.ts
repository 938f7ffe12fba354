import { defineConfig } from 'vite';

/** Relative references (`./`), so that the page works below a path of a proxy; the service turns them to its root. */
export default defineConfig({
  base: './',
  build: {
    emptyOutDir: true,
    target: 'es2022',
    // With `light-dark()`.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      // "use client" means something to servers that render React; there is none here.
      onLog: (level, log, say) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') say(level, log);
      },
    },
  },
});
