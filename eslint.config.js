// What ESLint looks at: the scripts of the pages and their tests. Vendored libraries are as their makers gave them.
import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  { files: ["static/js/**/*.js"], languageOptions: { globals: globals.browser } },
  { files: ["tests/js/**/*.mjs"], languageOptions: { globals: globals.node } },
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      complexity: ["error", 20],
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-implicit-globals": "error",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "no-var": "error",
      "prefer-const": "error",
    },
  },
];
