// Node's client of HTTP/2 against the API: events, many streams at once, an early response, a stream that it ends.
//
// usage: SWITCHBOARD_TOKEN=... node http2.mjs URL BRAND
import http2 from 'node:http2';

const [, , url, brand] = process.argv;
const session = http2.connect(url);
session.on('error', error => { console.log(`session error ${error.code}`); process.exit(1); });

function call(method, path, body, headers = {}, endsEarly = false) {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ':method': method, ':path': path, authorization: `Bearer ${process.env.SWITCHBOARD_TOKEN}`,
      'content-type': 'application/json', ...headers,
    }, { endStream: body === undefined && !endsEarly });
    let status, text = '';
    stream.on('response', fields => { status = fields[':status']; });
    stream.on('data', part => { text += part; });
    stream.on('error', reject);
    // After an early response nothing more is sent.
    stream.on('end', () => stream.close());
    stream.on('close', () => resolve({ status, text, code: stream.rstCode }));
    if (body !== undefined) stream.end(body);
  });
}

const event = number => JSON.stringify(
  { id: `m-${number}`, type: 'agent.message', consumer: 'u-1', conversation: 'c-9', text: 'hello' });
const events = `/v1/brands/${brand}/events`;
const posted = await Promise.all(Array.from({ length: 100 }, (_, number) => call('POST', events, event(number))));
console.log('posted', posted.filter(reply => reply.status === 202).length);

// A batch of more than a window.
const lines = Array.from({ length: 2000 }, (_, number) => event(1000 + number)).join('\n');
const batch = await call('POST', events, lines, { 'content-type': 'application/x-ndjson' });
console.log('batch', batch.status, JSON.parse(batch.text).results.length);

// The response comes before the body, which is too long.
const long = await call('POST', events, undefined, { 'content-length': '99999999' }, true).catch(error => ({ status: error.code }));
console.log('early', long.status);

const tail = session.request(
  { ':path': `/v1/brands/${brand}/deliveries/tail`, authorization: `Bearer ${process.env.SWITCHBOARD_TOKEN}` });
let seen = '';
tail.setEncoding('utf8');
await new Promise(resolve => tail.on('data', part => { seen += part; if (seen.includes('\n\n')) resolve(); }));
tail.close(http2.constants.NGHTTP2_CANCEL);
await new Promise(resolve => tail.on('close', resolve));
console.log('tail', seen.startsWith('retry: 3000'));

console.log('still served', (await call('GET', '/livez')).status);
session.close();
