// What Khronos' validator makes of glTF exports: node gltf_exports.js FILE... Needs gltf-validator, found by NODE_PATH.
const fs = require("fs");
const path = require("path");
const validator = require("gltf-validator");

async function main() {
  let faults = 0;
  for (const file of process.argv.slice(2)) {
    const beside = (uri) => new Uint8Array(fs.readFileSync(path.join(path.dirname(file), uri)));
    const options = { uri: path.basename(file), externalResourceFunction: async (uri) => beside(uri) };
    const { issues } = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), options);
    const wrong = issues.messages.filter((message) => message.severity < 2);
    wrong.forEach((message) => console.log(`${file}: ${message.pointer}: ${message.message}`));
    console.log(`${path.basename(file)}: ${issues.numErrors} errors, ${issues.numWarnings} warnings`);
    faults += wrong.length;
  }
  process.exit(faults > 0 ? 1 : 0);
}

main();
