// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// mcp_client.mjs PROGRAM FOLDER: talks to `sinew mcp FOLDER` with the protocol's own client. The client validates every
// answer against the published schema and throws where one does not fit. The folder has hero.glb.

import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CallToolResultSchema, InitializeResultSchema, ListToolsResultSchema, ToolSchema } from '@modelcontextprotocol/sdk/types.js';

const [program, folder] = process.argv.slice(2);
const transport = new StdioClientTransport({ command: program, args: ['mcp', '.'], cwd: folder });
const strays = [];
const client = new Client({ name: 'test', version: '1' }, { capabilities: {} });
client.onerror = (error) => strays.push(error);
await client.connect(transport);

assert.equal(client.getServerVersion().name, 'sinew');
assert.ok(client.getServerCapabilities().tools);
await client.ping();

const { tools } = ListToolsResultSchema.parse(await client.listTools());
for (const tool of tools) {
  ToolSchema.parse(tool);
  assert.ok(tool.description.length > 10, tool.name);
}

const checked = CallToolResultSchema.parse(await client.callTool({ name: 'check', arguments: { inputs: ['hero.glb'] } }));
assert.ok(!checked.isError);
assert.match(checked.content[0].text, /PASS/);

const drawn = await client.callTool({
  name: 'render', arguments: { inputs: ['hero.glb'], output: 'by_client.png', options: { quick: true, size: '64x64' } },
});
const picture = CallToolResultSchema.parse(drawn).content.find((piece) => piece.type === 'image');
assert.equal(picture.mimeType, 'image/png');
assert.equal(Buffer.from(picture.data, 'base64').subarray(1, 4).toString(), 'PNG');

const failed = CallToolResultSchema.parse(await client.callTool({ name: 'check', arguments: { inputs: ['none.glb'] } }));
assert.equal(failed.isError, true);
assert.ok(failed.content[0].text.length > 10);

// Errors of the protocol arrive as errors with the codes of JSON-RPC.
const code = async (call) => {
  try {
    await call();
  } catch (error) {
    return error.code;
  }
  return 'no error';
};
assert.equal(await code(() => client.callTool({ name: 'no_such_tool', arguments: {} })), -32602);
assert.equal(await code(() => client.listResources()), -32601);
assert.equal(await code(() => client.request({ method: 'no/such' }, InitializeResultSchema)), -32601);
assert.deepEqual(strays, []);
await client.close();
console.log(`${tools.length} tools`);
