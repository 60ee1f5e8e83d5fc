import type { Schema } from "../../model/values/json_schema.ts";
import type {
  OpenApi,
  OperationObject,
  ParameterObject,
  Reference,
} from "../../routes/operator/openapi/types.ts";

/** A field of a call in the API's description. */
export interface CallField {
  /** The name on the command line: `body.NAME` for a body field whose name the path has too. */
  readonly name: string;
  /** The name in the request. */
  readonly sentAs: string;
  /** The part of the request: `content` is a body from a file, `type` is its media type. */
  readonly in: "path" | "query" | "header" | "body" | "content" | "type";
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
}

/** An operation in the API's description. */
export interface CallOperation
  extends Pick<OperationObject, "operationId" | "summary" | "description" | "tags"> {
  readonly method: string;
  readonly path: string;
  readonly fields: readonly CallField[];
  /** Whether the body is a form, even if the call gives no field of it. */
  readonly hasForm: boolean;
  /** The media types of a body that is a file. */
  readonly mediaTypes: readonly string[];
  /** The most bytes of a body with fields. */
  readonly maxBodyBytes: number | undefined;
  /** Whether the response is one page of a listing. */
  readonly isListing: boolean;
}

const FORM_TYPE = "application/x-www-form-urlencoded";
const JSON_TYPE = "application/json";

/** Reads the operations in a description of the API. */
export function readOperations(api: OpenApi): readonly CallOperation[] {
  return Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      readOperation(api, operation, { method: method.toUpperCase(), path })
    )
  );
}

function readOperation(
  api: OpenApi,
  operation: OperationObject,
  place: Pick<CallOperation, "method" | "path">,
): CallOperation {
  const { operationId, summary, description, tags, requestBody } = operation;
  const parameters = operation.parameters.map((parameter) => readParameter(api, parameter));
  const content = requestBody?.content ?? {};
  // Only the JSON schema tells which fields are lists. A body that is a file has no fields.
  const properties = content[FORM_TYPE] && content[JSON_TYPE]?.schema.properties;
  const isFile = requestBody !== undefined && properties === undefined;
  const mediaTypes = isFile ? Object.keys(content) : [];
  const required = content[JSON_TYPE]?.schema.required ?? [];
  const isTaken = (name: string) => parameters.some((parameter) => parameter.name === name);
  const body = Object.entries(properties ?? {}).map(([name, schema]): CallField => ({
    name: isTaken(name) ? `body.${name}` : name,
    sentAs: name,
    in: "body",
    required: required.includes(name),
    description: schema.description ?? "",
    schema,
  }));
  return {
    operationId,
    summary,
    description,
    tags,
    method: place.method,
    path: place.path,
    fields: [
      ...parameters.filter((parameter) => parameter.in !== "header"),
      ...body,
      ...isFile ? fileFields(mediaTypes) : [],
      ...parameters.filter((parameter) => parameter.in === "header"),
    ],
    hasForm: properties !== undefined,
    mediaTypes,
    maxBodyBytes: content[FORM_TYPE]?.["x-max-bytes"],
    isListing: parameters.some((parameter) => parameter.name === "cursor"),
  };
}

function readParameter(api: OpenApi, parameter: ParameterObject | Reference): CallField {
  const found = "$ref" in parameter
    ? api.components.parameters[parameter.$ref.split("/").at(-1) ?? ""]
    : parameter;
  const { name, required, description, schema } = found;
  return { name, sentAs: name, in: found.in, required, description, schema };
}

function fileFields(mediaTypes: readonly string[]): readonly CallField[] {
  return [
    {
      name: "body",
      sentAs: "body",
      in: "content",
      required: true,
      description: "The file that is sent: body=@FILE, or body=@- for standard input.",
      schema: {},
    },
    {
      name: "type",
      sentAs: "type",
      in: "type",
      required: false,
      description: "The media type of the file. Default: by the ending of its name.",
      schema: { enum: mediaTypes },
    },
  ];
}
