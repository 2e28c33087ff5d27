// A client of the Switchboard gateway for back-ends: events, the outbound feed, signatures of webhooks.
//
// One file without dependencies, for Node 20 or later. Types can be stripped: there is no enum, namespace or parameter property.
// Errors are exceptions of the class that belongs to the problem's code. What may be repeated is repeated, as the gateway asks for
// it: events have ids, so that repeating them is safe.

const POST_EVENTS = "POST /v1/brands/{brand}/events";
const READ_OUTBOUND = "GET /v1/brands/{brand}/outbound/{subscription}";
const ACKNOWLEDGE_OUTBOUND = "POST /v1/brands/{brand}/outbound/{subscription}/ack";

/** An event: `id` is yours; the other members are those of the page "Post events". */
export type Event = { id: string; type: string; consumer: string; [member: string]: unknown };

/** The result of an event; a rejected one has an error. */
export type EventResult = {
  id: string | null;
  status: "accepted" | "duplicate" | "rejected";
  messageId: string | null;
  conversation: string | null;
  sequence: number | null;
  unread: number | null;
  deliveries: number | null;
  warnings: string[];
  error: ApiError | null;
};

/** An item of the feed; it has no position if it is not stored (consumer.typing). */
export type Item = { position?: number; type: string; time: string; data: Record<string, unknown> };

/** Items of the feed; store `nextAfter` with what you made of them, and read on from there. */
export type FeedPage = { items: Item[]; nextAfter: number; end: number; gap: boolean };

export type FeedQuery = { after?: number; limit?: number; waitSeconds?: number; types?: string[]; from?: "start" | "end" };

export type Problem = {
  code?: string;
  detail?: string;
  reason?: string;
  retryable?: boolean;
  requestId?: string;
  status?: number;
  errors?: { pointer: string; detail: string }[];
};

/** Every error of this client. */
export class SwitchboardError extends Error {}

/** No response: whether the gateway has handled the request is unknown. Repeating it is safe for events. */
export class Unreachable extends SwitchboardError {}

/** The request is not a webhook of the gateway, or it is too old. */
export class InvalidSignature extends SwitchboardError {}

/** An error of the API (RFC 9457). Decide by `code`; `detail` is for people and may change. */
export class ApiError extends SwitchboardError {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly reason: string | null;
  readonly retryable: boolean;
  readonly requestId: string | null;
  readonly errors: { pointer: string; detail: string }[];
  /** Seconds after which the gateway takes the request again. */
  readonly retryAfter: number | null;

  constructor(status: number, problem: Problem, retryAfter: number | null) {
    super(`${status} ${problem.code ?? ""}: ${problem.detail ?? ""}`);
    this.status = status;
    this.code = problem.code ?? "";
    this.detail = problem.detail ?? "";
    this.reason = problem.reason ?? null;
    this.retryable = problem.retryable ?? false;
    this.requestId = problem.requestId ?? null;
    this.errors = problem.errors ?? [];
    this.retryAfter = retryAfter;
  }
}

/** The request cannot be read, or `errors` names members that are wrong. */
export class InvalidRequest extends ApiError {}
/** The credential is unknown, revoked, or of another brand; `code` and `reason` say more. */
export class Unauthorized extends ApiError {}
/** The credential lacks the scope that the route needs. */
export class Forbidden extends ApiError {}
/** It does not exist, or belongs to another brand. */
export class NotFound extends ApiError {}
/** The state does not allow it. */
export class Conflict extends ApiError {}
/** Its time is over. */
export class Gone extends ApiError {}
/** The body has more bytes or events than the gateway takes. */
export class PayloadTooLarge extends ApiError {}
/** Too many requests, after all attempts. */
export class RateLimited extends ApiError {}
/** Nothing was stored, after all attempts. */
export class Overloaded extends ApiError {}
/** A system that the gateway called did not respond properly. */
export class UpstreamUnavailable extends ApiError {}
/** A fault of the gateway; give `requestId` to its operator. */
export class InternalError extends ApiError {}

const CLASSES: Record<string, typeof ApiError> = {
  invalid_request: InvalidRequest,
  unsupported_media_type: InvalidRequest,
  method_not_allowed: InvalidRequest,
  unauthorized: Unauthorized,
  token_expired: Unauthorized,
  token_invalid: Unauthorized,
  forbidden: Forbidden,
  not_found: NotFound,
  conflict: Conflict,
  gone: Gone,
  payload_too_large: PayloadTooLarge,
  rate_limited: RateLimited,
  overloaded: Overloaded,
  upstream_unavailable: UpstreamUnavailable,
  internal: InternalError,
};

/** The exception for a problem; ApiError itself for a code that this client does not know. */
function errorOf(status: number, problem: Problem, retryAfter: number | null): ApiError {
  return new (CLASSES[problem.code ?? ""] ?? ApiError)(status, problem, retryAfter);
}

function resultOf(item: Omit<EventResult, "error" | "warnings"> & { warnings?: string[]; problem?: Problem }): EventResult {
  const { problem, warnings, ...rest } = item;
  return { ...rest, warnings: warnings ?? [], error: problem ? errorOf(problem.status ?? 0, problem, null) : null };
}

/** A service account's calls within one brand. */
export class Client {
  private readonly server: string;
  private readonly brand: string;
  private readonly authorization: string;
  private readonly attempts: number;
  private readonly timeoutSeconds: number;

  constructor(server: string, brand: string, account: string, secret: string, attempts = 6, timeoutSeconds = 30) {
    this.server = server.replace(/\/$/, "");
    this.brand = brand;
    this.authorization = "Basic " + btoa(String.fromCharCode(...new TextEncoder().encode(`${account}:${secret}`)));
    this.attempts = attempts;
    this.timeoutSeconds = timeoutSeconds;
  }

  /** Posts one event, and returns its result when it is on disk. Scope: events:write. */
  async postEvent(event: Event): Promise<EventResult> {
    return resultOf((await this.call(POST_EVENTS, {}, {}, event)).results[0]);
  }

  /**
   * Posts at most 10,000 events, and returns a result for each, in their order. Events that the gateway had no room for are
   * repeated alone. One that stays rejected throws nothing: see its error.
   */
  async postEvents(events: Event[]): Promise<EventResult[]> {
    const results: EventResult[] = [];
    let waiting = events.map((_, place) => place);
    for (let attempt = 0; waiting.length > 0; attempt++) {
      const response = await this.call(POST_EVENTS, {}, {}, waiting.map((place) => events[place]));
      waiting.forEach((place, index) => (results[place] = resultOf(response.results[index])));
      waiting = waiting.filter((place) => results[place]?.error?.retryable);
      if (attempt + 1 === this.attempts) break;
      if (waiting.length > 0) await pause(attempt, null);
    }
    return results;
  }

  /** Reads items after a position, or after the subscription's mark; waits for the first one. Scope: events:read. */
  async readFeed(subscription: string, query: FeedQuery = {}): Promise<FeedPage> {
    const { after, limit, waitSeconds, types, from } = query;
    const parameters = { after, limit, waitSeconds, types: types?.join(","), from };
    const page = await this.call(READ_OUTBOUND, { subscription }, parameters, undefined, waitSeconds ?? 0);
    return { items: page.items, nextAfter: page.nextAfter, end: page.end, gap: page.gap ?? false };
  }

  /** Moves the subscription's mark: items up to it need not be stored any more. Scope: events:read. */
  async acknowledge(subscription: string, upTo: number): Promise<void> {
    await this.call(ACKNOWLEDGE_OUTBOUND, { subscription }, {}, { upTo });
  }

  private async call(
    route: string,
    names: Record<string, string>,
    query: Record<string, string | number | undefined>,
    body?: unknown,
    moreSeconds = 0,
  ): Promise<any> {
    const [method, template] = route.split(" ") as [string, string];
    let path = template;
    for (const [name, value] of Object.entries({ brand: this.brand, ...names })) {
      path = path.replace(`{${name}}`, () => encodeURIComponent(value));
    }
    const url = new URL(this.server + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== "") url.searchParams.set(name, String(value));
    }
    const headers: Record<string, string> = { Authorization: this.authorization, Accept: "application/json" };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    for (let attempt = 0; ; attempt++) {
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(), (this.timeoutSeconds + moreSeconds) * 1000);
      let error: SwitchboardError;
      let retryAfter: number | null = null;
      let isRetryable = true;
      try {
        const response = await fetch(url, {
          method,
          headers,
          body: body === undefined ? undefined : JSON.stringify(body),
          signal: controller.signal,
        });
        const text = await response.text();
        if (response.ok) return JSON.parse(text);
        const problem = problemOf(response, text);
        error = problem;
        retryAfter = problem.retryAfter;
        isRetryable = problem.retryable;
      } catch (cause) {
        error = new Unreachable(`${url}: ${cause}`);
      } finally {
        clearTimeout(timer);
      }
      if (!isRetryable || attempt + 1 >= this.attempts) throw error;
      await pause(attempt, retryAfter);
    }
  }
}

function problemOf(response: Response, text: string): ApiError {
  const after = response.headers.get("Retry-After") ?? "";
  const retryAfter = /^[0-9]{1,9}$/.test(after) ? Number(after) : null;
  try {
    const problem = JSON.parse(text);
    if (typeof problem?.code === "string") return errorOf(response.status, problem, retryAfter);
  } catch {
    // Of a proxy in between.
  }
  const retryable = [429, 502, 503, 504].includes(response.status);
  return errorOf(response.status, { detail: text.slice(0, 200), retryable }, retryAfter);
}

/**
 * 0.25, 0.5, 1, 2, 4 s and so on, or as long as the gateway says; spread, so that callers do not come at once. At most a day: a
 * timer of more than 24 days fires at once.
 */
function pause(attempt: number, retryAfter: number | null): Promise<void> {
  const seconds = Math.min(retryAfter ?? Math.min(30, 0.25 * 2 ** attempt), 86_400);
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000 * (1 + Math.random() / 4)));
}

/**
 * Checks the signature of a webhook (Standard Webhooks), and returns its items. Process each `webhook-id` once.
 *
 * `secrets` is one secret, `whsec_` and base64, or several while one is replaced; names of `headers` are in small letters, as Node
 * has them; `body` is the bytes as they came. Throws InvalidSignature.
 */
export async function verifyWebhook(
  secrets: string | string[],
  headers: Record<string, string | undefined>,
  body: Uint8Array,
  toleranceSeconds = 300,
  now = Date.now() / 1000,
): Promise<Item[]> {
  const id = headers["webhook-id"] ?? "";
  const timestamp = headers["webhook-timestamp"] ?? "";
  if (id === "" || !/^[0-9]{1,12}$/.test(timestamp)) {
    throw new InvalidSignature("webhook-id or webhook-timestamp is missing");
  }
  if (Math.abs(now - Number(timestamp)) > toleranceSeconds) {
    throw new InvalidSignature("webhook-timestamp is too far away");
  }
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  const given = (headers["webhook-signature"] ?? "").split(" ").filter((part) => part.startsWith("v1,"));
  for (const secret of typeof secrets === "string" ? [secrets] : secrets) {
    const hash = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", bytesOf(secret.replace(/^whsec_/, "")), hash, false, ["verify"]);
    for (const part of given) {
      let signature: ArrayBuffer;
      try {
        signature = bytesOf(part.slice(3));
      } catch {
        continue;
      }
      if (await crypto.subtle.verify("HMAC", key, signature, signed.buffer as ArrayBuffer)) {
        return JSON.parse(new TextDecoder().decode(body)).items;
      }
    }
  }
  throw new InvalidSignature("no signature fits");
}

function bytesOf(base64: string): ArrayBuffer {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)).buffer as ArrayBuffer;
}
