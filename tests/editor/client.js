/* SPDX-License-Identifier: MIT */
/*
 * client.js SERVER <ASKED - what an editor gets from yaml-language-server, which it starts and talks to over its standard streams.
 * Each line of standard input is one question, with lines and columns from 1; the answer is one line, or one for each diagnostic:
 *
 *   check FILE                    FILE: fine, or FILE:LINE: what is wrong
 *   hover FILE LINE COLUMN        the text that is shown over this place
 *   complete FILE LINE COLUMN     what can be typed there, in one line
 */
'use strict';
const { spawn } = require('child_process');
const fs = require('fs');
const path = require('path');
const { pathToFileURL } = require('url');

const SECONDS = 60; // after which the server is stuck

const server = spawn(process.execPath, [process.argv[2], '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
const waiting = new Map(); // of our requests, by their number: what takes the answer
const diagnosed = new Map(); // by the address of a file: what takes its diagnostics
let requests = 0;

function send(message) {
    const text = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    server.stdin.write(`Content-Length: ${text.length}\r\n\r\n`);
    server.stdin.write(text);
}

function request(method, params) {
    requests += 1;
    send({ id: requests, method, params });
    return new Promise((resolve) => waiting.set(requests, resolve));
}

const notify = (method, params) => send({ method, params });

/* The server asks for settings, too: it gets the ones that an editor begins with. */
function settings(section) {
    return section === 'yaml' ? { validate: true, hover: true, completion: true, schemaStore: { enable: false } } : {};
}

function take(message) {
    if (message.method === 'textDocument/publishDiagnostics') {
        const resolve = diagnosed.get(message.params.uri);
        diagnosed.delete(message.params.uri);
        if (resolve) resolve(message.params.diagnostics);
    } else if (message.method !== undefined && message.id !== undefined) {
        const result = message.method === 'workspace/configuration' ? message.params.items.map((item) => settings(item.section)) : null;
        send({ id: message.id, result });
    } else if (message.id !== undefined) {
        waiting.get(message.id)(message.error ? Promise.reject(new Error(message.error.message)) : message.result);
        waiting.delete(message.id);
    }
}

let arrived = Buffer.alloc(0);
server.stdout.on('data', (data) => {
    arrived = Buffer.concat([arrived, data]);
    for (;;) {
        const head = arrived.indexOf('\r\n\r\n');
        const length = head < 0 ? null : /Content-Length: (\d+)/i.exec(arrived.toString('utf8', 0, head));
        if (!length || arrived.length < head + 4 + Number(length[1])) return;
        const end = head + 4 + Number(length[1]);
        const text = arrived.toString('utf8', head + 4, end);
        arrived = arrived.subarray(end);
        take(JSON.parse(text));
    }
});

/*
 * A server before 0.21 wants the schema as an address, and one before 1.0 reads YAML 1.1, where `n` and `y` are truth values. Today's do not;
 * for those the address is made here, and another letter replaces the two, so that no place moves.
 */
const { version } = JSON.parse(fs.readFileSync(path.resolve(path.dirname(process.argv[2]), '../package.json'), 'utf8'));
const is_old = version.startsWith('0.');

function text_of(file) {
    const text = fs.readFileSync(file, 'utf8');
    const address = (name) => pathToFileURL(path.resolve(path.dirname(file), name)).href;
    return !is_old ? text : text.replace(/(?<=[[,: ])[yn](?=[\],}\s])/g, 'v')
        .replace(/^(# yaml-language-server: \$schema=)(\S+)/m, (_, begin, name) => begin + address(name));
}

const opened = new Map();
async function open(file) {
    const uri = pathToFileURL(path.resolve(file)).href;
    if (!opened.has(uri)) {
        const text = text_of(file);
        const told = new Promise((resolve) => diagnosed.set(uri, resolve));
        notify('textDocument/didOpen', { textDocument: { uri, languageId: 'yaml', version: 1, text } });
        opened.set(uri, await told);
    }
    return uri;
}

const flat = (text) => text.replace(/\s+/g, ' ').trim();

function shown(contents) {
    if (Array.isArray(contents)) return contents.map(shown).join(' ');
    return typeof contents === 'string' ? contents : contents.value;
}

async function answer(question, file, line, column) {
    const uri = await open(file);
    const where = { textDocument: { uri }, position: { line: Number(line) - 1, character: Number(column) - 1 } };
    if (question === 'check') {
        const wrong = opened.get(uri);
        return wrong.length ? wrong.map((one) => `${file}:${one.range.start.line + 1}: ${flat(one.message)}`).join('\n') : `${file}: fine`;
    }
    if (question === 'hover') {
        const hover = await request('textDocument/hover', where);
        return flat(hover ? shown(hover.contents) : 'nothing');
    }
    const list = await request('textDocument/completion', where);
    return flat((list.items || list).map((item) => item.label).join(' ') || 'nothing');
}

async function main() {
    const root = pathToFileURL(process.cwd()).href;
    const limit = setTimeout(() => { console.error('the server does not answer'); server.kill(); process.exit(1); }, SECONDS * 1000);
    await request('initialize', {
        processId: process.pid,
        rootUri: root,
        workspaceFolders: [{ uri: root, name: 'here' }],
        capabilities: {
            workspace: { configuration: true, workspaceFolders: true, didChangeConfiguration: { dynamicRegistration: true } },
            textDocument: { completion: { completionItem: { snippetSupport: true } }, hover: {}, publishDiagnostics: {} },
        },
    });
    notify('initialized', {});
    notify('workspace/didChangeConfiguration', { settings: { yaml: settings('yaml') } });
    for (const line of fs.readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
        console.log(await answer(...line.split('\t')));
    }
    await request('shutdown', null);
    notify('exit', null);
    clearTimeout(limit);
}

main().catch((error) => { console.error(error); server.kill(); process.exit(1); });
