// SPDX-License-Identifier: Apache-2.0
// sdk_client.mjs SDK SERVER ARGS...: the protocol's TypeScript SDK calls every tool of a server, as an agent
// would, and holds every answer against the tool's schema. One line for each tool: its name, and "ok" or why
// not. ANSWER in the environment is a reply with a kernel that the server's judge calls valid.
import {pathToFileURL} from 'node:url';

const [, , sdk, command, ...args] = process.argv;
const load = (path) => import(pathToFileURL(`${sdk}/dist/esm/client/${path}.js`).href);
const {Client} = await load('index');
const {StdioClientTransport} = await load('stdio');

const client = new Client({name: 'sdk_client', version: '1'});
await client.connect(new StdioClientTransport({command, args, env: process.env, stderr: 'ignore'}));
const unseen = new Set((await client.listTools()).tools.map((tool) => tool.name)); // the SDK keeps their schemas

async function call(name, given = {}) {
  unseen.delete(name);
  try {
    const answer = await client.callTool({name, arguments: given}, undefined, {timeout: 120000});
    console.log(`${name} ${answer.isError ? `failed: ${answer.content[0].text.split('\n')[0]}` : 'ok'}`);
    return answer.structuredContent || {};
  } catch (error) {
    console.log(`${name} threw: ${String(error.message).split('\n')[0]}`);
    return {};
  }
}

const reply = process.env.ANSWER;
const source = reply.slice(reply.indexOf('```cuda\n') + 8, reply.lastIndexOf('```'));
await call('list_tasks');
const {baseline, sizes} = await call('show_task', {task: 'transpose', complete: true});
await call('make_task', {name: 'mine'});
await call('list_devices');
await call('show_device', {device: 'a100', task: 'transpose'});
await call('judge_kernel', {task: 'transpose', source, complete: true});
await call('explain_kernel', {task: 'transpose', source: baseline, size: sizes[0].size});
await call('compare_kernels', {task: 'transpose', first: source, second: 'baseline'});
await call('tune_kernel', {task: 'transpose', source: `// tune: SALT = 0..9\n#define SALT 0\n${source}`, evaluations: 8});
for (const next of ['wait_for_job', 'cancel_job']) {
  const begun = await call('explain_kernel', {task: 'transpose', source: `${baseline}\n// ${next}`, wait_s: 0});
  if (begun.job) await call(next, {job: begun.job});
}
const {run} = await call('start_search', {task: 'transpose', model: 'inbox', candidates: 1, depth: 1, budget: {evaluations: 5}});
await call('follow_search', {run, wait_s: 5});
await call('read_question', {run});
await call('answer_question', {run, question: 'r1.c1', answer: reply});
for (let i = 0, best = ''; i < 50 && !best; ++i) best = (await call('follow_search', {run, wait_s: 5})).best_trial;
await call('list_runs');
await call('show_run', {run: 'last'});
await call('fetch_kernel', {run});
await call('export_kernel', {run});
await call('stop_search', {run});
for (const name of unseen) console.log(`${name} was never called`);
await client.close();
