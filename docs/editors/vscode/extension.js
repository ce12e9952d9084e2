// Starts `indexcalc lsp` and hands it what is open: specs, and documents whose relations are checked.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const command = workspace.getConfiguration("indexcalc").get("command");
  const languages = ["indexcalc", "markdown", "latex", "html"];
  client = new LanguageClient(
    "indexcalc",
    "indexcalc",
    { command, args: ["lsp"] },
    { documentSelector: languages.map((language) => ({ language })) },
  );
  return client.start();
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
