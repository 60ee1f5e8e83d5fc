import { API_KEYS } from "../../model/kinds.ts";
import { object, settable, text, textOrNull, withSchema } from "../../model/declare.ts";
import { API_KEY, DEFAULT_SCOPES, showKey } from "../../model/keys/api_key.ts";
import { parseOverlap } from "../../model/keys/issue_key.ts";
import { addMs, parseDuration } from "../../model/values/time.ts";
import {
  createKey,
  listKeys,
  revokeKey,
  rotateKey,
  type RotationFault,
  undoRotation,
} from "../../services/keys/api_keys.ts";
import { checkScopes } from "../_http/credentials.ts";
import { type Operation, operation, type Outcome } from "../_http/operation.ts";
import { ORDERED_PAGE_FIELDS, pageReply } from "../_http/page.ts";
import { badValue, type FieldProblem, Problem, validationFailed } from "../_http/problem.ts";
import { jsonReply } from "../_http/reply.ts";

const PATH = "/api/v1/keys";

const { keyId, name, scopes, expiresAt } = API_KEY.fields;
const OWN_KEY = object(
  "OwnKey",
  "The caller: a key, or a member by their session. `operator` is the key that the server was " +
    "started with.",
  {
    keyId: withSchema(keyId, { examples: ["operator"] }),
    name: withSchema(name, { examples: ["operator"] }),
    scopes: withSchema(scopes, { examples: [["*"]] }),
    expiresAt: withSchema(expiresAt, {
      description: "When the key expires, or the session ends unless it is used; `null`: never.",
      examples: [null],
    }),
    memberId: textOrNull("The member who has the session; `null` for a key."),
  },
);
const ISSUED = object("IssuedKey", "A new API key, with its secret.", {
  ...API_KEY.fields,
  key: text("The secret, shown only here.", `bc_${"0".repeat(36)}`),
});

const NOT_ROTATED: Readonly<Record<RotationFault, Outcome>> = {
  unknown: "key_not_found",
  ended: new Problem("key_not_found", "The API key was revoked or has expired; create a new one"),
  succeeded: new Problem("key_not_found", "The API key has a successor already; rotate that one"),
};

// The example of a request has expiresIn, which excludes expiresAt.
const EXPIRES_AT = withSchema(expiresAt, { examples: undefined });

export const operations = (): readonly Operation[] => [
  operation("GET", "/api/v1/key", {
    operationId: "getOwnKey",
    summary: "See who the caller is and what it may do",
    scope: "any",
    successes: [{ status: 200, schema: OWN_KEY }],
    run: ({ caller: { keyId, name, scopes, expiresAt, memberId = null } }) =>
      jsonReply(200, { keyId, name, scopes, expiresAt, memberId }),
  }),

  operation("GET", PATH, {
    operationId: "listKeys",
    summary: "List API keys",
    description: "Newest first, including revoked and expired keys; secrets are never shown.",
    scope: "keys:write",
    query: ORDERED_PAGE_FIELDS,
    successes: [{ status: 200, description: "A page of API keys.", page: API_KEY }],
    run: ({ storage, query }) =>
      pageReply(query, (page) => listKeys(storage, { ...page, reverse: true }), {
        listing: "keys",
        positionOf: ({ keyId, createdAt }) => ({ key: keyId, by: createdAt }),
        show: showKey,
      }),
  }),

  operation("POST", PATH, {
    operationId: "createKey",
    summary: "Create an API key",
    description: "No caller can grant a scope that it lacks.",
    scope: "keys:write",
    body: {
      ...settable(API_KEY.fields),
      expiresAt: EXPIRES_AT,
      expiresIn: {
        schema: {
          description:
            "How long the key is valid: a whole number and `s`, `m`, `h` or `d`, at most " +
            "`36500d`. Not together with `expiresAt`.",
          type: "string",
          pattern: "^[0-9]{1,9}[smhd]$",
          examples: ["90d"],
        },
        parse: parseDuration,
      },
    },
    required: ["name"],
    check({ expiresAt, expiresIn }, { text: now }) {
      const errors: FieldProblem[] = [];
      if (expiresAt && expiresAt <= now) errors.push(badValue("expiresAt", "is in the past"));
      if (expiresIn === 0) errors.push(badValue("expiresIn", "must be longer than 0"));
      else if (expiresAt && expiresIn) {
        errors.push(badValue("expiresIn", "can't be given with expiresAt"));
      }
      return errors;
    },
    successes: [{ status: 201, schema: ISSUED }],
    async run({ storage, body, now, caller }) {
      const { expiresIn, ...values } = body;
      const expiresAt = expiresIn ? addMs(now.text, expiresIn) : body.expiresAt ?? null;
      const scopes = body.scopes ?? DEFAULT_SCOPES;
      const refused = checkScopes(caller, scopes);
      if (refused !== undefined) return refused;
      const request = { ...values, scopes, expiresAt, by: caller };
      const { key, secret } = await createKey(storage, request, now.text);
      return jsonReply(201, { ...showKey(key), key: secret });
    },
  }),

  operation("POST", `${PATH}/:keyId/rotate`, {
    operationId: "rotateKey",
    summary: "Rotate an API key",
    description: "Issues a key with the name, scopes and lifetime of the old one. The old key is " +
      "accepted for `overlap` longer, or revoked at once if there is no overlap. A key is " +
      "rotated once. After that, rotate its successor, unless the successor was revoked.",
    scope: "keys:write",
    body: {
      overlap: {
        schema: {
          description:
            "How long both keys are accepted: a whole number and `s`, `m`, `h` or `d`, at " +
            "most `36500d`.",
          type: "string",
          pattern: "^(0|[0-9]{1,9}[smhd])$",
          default: "0",
          examples: ["24h"],
        },
        parse: parseOverlap,
      },
    },
    bodyOptional: true,
    successes: [{ status: 201, schema: ISSUED }],
    async run({ storage, param, body, now, caller }) {
      const old = await storage.get(API_KEYS, param);
      if (old === undefined) return "key_not_found";
      const refused = checkScopes(caller, old.scopes);
      if (refused !== undefined) return refused;
      const issued = await rotateKey(storage, old, {
        at: now.text,
        overlapMs: body.overlap ?? 0,
        by: caller,
      });
      if (typeof issued === "string") return NOT_ROTATED[issued];
      return jsonReply(201, { ...showKey(issued.key), key: issued.secret });
    },
  }),

  operation("DELETE", `${PATH}/:keyId`, {
    operationId: "revokeKey",
    summary: "Revoke an API key",
    description:
      "The key is refused at once by this process, and within 1 s by others that share " +
      "the storage. It stays in the list.",
    scope: "keys:write",
    query: {
      restore: text(
        "The `keyId` of the key that this one replaced. That key gets its former expiry back, " +
          "and can be rotated again. This is for a new secret that nobody received.",
        undefined,
        { parse: (text: string) => text },
      ),
    },
    successes: [{ status: 204, description: "The key is revoked." }],
    async run({ storage, param: keyId, query: { restore: oldId }, now: { text: at }, caller }) {
      if (oldId === undefined) {
        return await revokeKey(storage, keyId, at) ? { status: 204 } : "key_not_found";
      }
      const old = await storage.get(API_KEYS, oldId);
      const refused = old && checkScopes(caller, old.scopes);
      if (refused !== undefined) return refused;
      if (await storage.get(API_KEYS, keyId) === undefined) return "key_not_found";
      const isUndone = old?.successorId === keyId &&
        await undoRotation(storage, { keyId, oldId, at });
      return isUndone ? { status: 204 } : validationFailed([
        badValue("restore", "is not a key that this one replaced and that is still valid"),
      ]);
    },
  }),
];
