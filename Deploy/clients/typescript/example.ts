// Posts events and reads the feed, or verifies a webhook. `tsc` turns this and switchboard.ts into JavaScript.
//
//   SWITCHBOARD_CREDENTIAL=sa_...:secret node example.js http://127.0.0.1:8080 acme u-1
//   SWITCHBOARD_WEBHOOK_SECRET=whsec_... node example.js --webhook < FILE     # headers, an empty line, the body

import { Client, InvalidRequest, InvalidSignature, verifyWebhook } from "./switchboard.js";

// What is used of Node's own types, so that no package of types is needed.
declare const process: {
  argv: string[];
  env: Record<string, string | undefined>;
  stdin: AsyncIterable<Uint8Array>;
};

async function run(server: string, brand: string, consumer: string): Promise<void> {
  const credential = process.env.SWITCHBOARD_CREDENTIAL ?? "";
  const colon = credential.indexOf(":");
  const client = new Client(server, brand, credential.slice(0, colon), credential.slice(colon + 1));
  // The first read creates the subscription; items are stored from then on.
  let after = (await client.readFeed("typescript", { from: "start" })).nextAfter;

  const conversation = `c-${crypto.randomUUID()}`;
  const event = {
    id: `evt-${crypto.randomUUID()}`, type: "agent.message", consumer, conversation, text: "Your order has shipped.",
  };
  const first = await client.postEvent(event);
  console.log(`event: ${first.status}, sequence ${first.sequence}, unread ${first.unread}`);
  const again = await client.postEvent(event);
  console.log(`the same event: ${again.status}, ${again.messageId === first.messageId ? "same" : "other"} message`);
  try {
    await client.postEvent({ id: "evt-wrong", type: "agent.message", consumer });
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    console.log(`without a text: ${error.status} ${error.code}, ${error.errors[0]?.pointer}`);
  }
  const results = await client.postEvents([
    { id: `evt-${crypto.randomUUID()}`, type: "conversation.resolved", consumer, conversation },
    { id: "evt-wrong", type: "agent.message", consumer },
  ]);
  console.log("batch: " + results.map((result) => result.error?.code ?? result.status).join(", "));

  for (;;) {
    const page = await client.readFeed("typescript", { after, waitSeconds: 5 });
    if (page.items.length === 0) throw new Error("the feed has no item of the conversation");
    for (const item of page.items) {
      if (item.type === "conversation.resolved" && item.data.conversation === conversation) {
        console.log(`feed: ${item.type} by ${item.data.by}`);
        await client.acknowledge("typescript", item.position ?? 0);
        return;
      }
    }
    after = page.nextAfter;
  }
}

async function webhook(): Promise<void> {
  const pieces: number[] = [];
  for await (const piece of process.stdin) pieces.push(...piece);
  const text = new TextDecoder().decode(new Uint8Array(pieces));
  const end = text.indexOf("\n\n");
  const headers = Object.fromEntries(text.slice(0, end).split("\n").map((line) => line.split(": ", 2)));
  const body = new TextEncoder().encode(text.slice(end + 2));
  const secret = process.env.SWITCHBOARD_WEBHOOK_SECRET ?? "";
  console.log(`webhook: ${(await verifyWebhook(secret, headers, body))[0]?.type}`);
  try {
    await verifyWebhook(secret, headers, new Uint8Array([...body, 0x20]));
  } catch (error) {
    if (!(error instanceof InvalidSignature)) throw error;
    console.log("webhook with another body: refused");
  }
}

const [first = "", brand = "", consumer = ""] = process.argv.slice(2);
if (first === "--webhook") await webhook();
else await run(first, brand, consumer);
