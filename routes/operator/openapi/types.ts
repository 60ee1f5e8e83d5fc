import type { Schema } from "../../../model/values/json_schema.ts";

type ByName<T> = Readonly<Record<string, T>>;

/** The subset of OpenAPI 3.1 that the description uses. */
export interface OpenApi {
  readonly openapi: "3.1.0";
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
    readonly contact: { readonly name: string };
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: ByName<PathItem>;
  readonly webhooks: ByName<WebhookItem>;
  /** The objects that a {@linkcode Reference} can name. */
  readonly components: {
    readonly schemas: ByName<Schema>;
    readonly responses: ByName<ResponseObject>;
    readonly headers: ByName<HeaderObject>;
    readonly parameters: ByName<ParameterObject>;
    readonly examples: ByName<ExampleObject>;
    readonly securitySchemes: ByName<ByName<string>>;
  };
}

/** The operations of a path by method. */
export type PathItem = ByName<OperationObject>;
export type Content = ByName<MediaType>;
/** A reference to a component. */
export type Reference = { readonly $ref: string };
/** The mark of headers and problems that every operation has. */
export type Marked = { readonly "x-everywhere"?: true };
/** The description of a response header. */
export type HeaderObject = Marked & { readonly description: string; readonly schema: Schema };
/** An example of content. */
export type ExampleObject = Marked & { readonly summary: string; readonly value: unknown };
/** The description of a request body. */
export type RequestBody = { readonly required: boolean; readonly content: Content };

/** The description of an operation. */
export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly ByName<readonly string[]>[];
  /** The scope that the key must grant, or `any`; absent if no key is needed. */
  readonly "x-scope"?: string;
  readonly parameters: readonly (ParameterObject | Reference)[];
  readonly requestBody?: RequestBody;
  readonly responses: ByName<ResponseObject | Reference>;
}

/** The description of a parameter. */
export interface ParameterObject {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
}

/** The description of content in one media type. */
export interface MediaType {
  readonly schema: Schema;
  /** The schema of a line of NDJSON, which OpenAPI 3.2 calls `itemSchema`. */
  readonly "x-item-schema"?: Schema;
  /** The maximum size of a body in bytes; absent: unlimited. */
  readonly "x-max-bytes"?: number | undefined;
  readonly example?: unknown;
  readonly examples?: ByName<Reference>;
}

/** The description of a response. */
export interface ResponseObject {
  readonly description: string;
  readonly headers: ByName<Reference>;
  readonly content?: Content;
}

/** The messages of one type to webhooks. */
export interface WebhookItem {
  readonly post: OperationObject & { readonly requestBody: RequestBody };
}
