// What calls of the tree take, checked before anything is sent: names, kinds and ranges of options, and each condition
// and write of a transaction by itself.

import {
  flag,
  kindOf,
  oneWord,
  optionsSchema,
  type Rule,
  type Rules,
  required,
  type Schema,
  SettingsError,
  textOf,
  whole,
} from '../../core/index.ts'
import { LEASE_TTL_MAX, LEASE_TTL_MIN, type TreeCondition, type TreeWrite } from '../../ordering/tree/index.ts'
import type { CreateOptions } from '../recipes/tree.ts'
import { bytesOf, type Value } from '../values.ts'
import { type WaitOptions, waitRules } from '../waiting.ts'
import type { ReadOptions } from './object-session.ts'
import { bindingOf, type LeasedOptions, type TreeLeaseOptions } from './tree-lease.ts'
import type { CountOptions, ListOptions } from './tree-listing.ts'

/** A condition of a transaction, as a user writes it. */
export type TransactionCondition =
  | Exclude<TreeCondition, { kind: 'value' }>
  | { readonly kind: 'value'; readonly path: string; readonly value: Value }

/** A write of a transaction, as a user writes it. */
export type TransactionWrite =
  | ({ readonly kind: 'create'; readonly path: string; readonly value?: Value } & CreateOptions & LeasedOptions)
  | { readonly kind: 'set'; readonly path: string; readonly value: Value; readonly version?: number | undefined }
  | { readonly kind: 'delete'; readonly path: string; readonly version?: number | undefined }
  /** From now on it ends with this lease, or one of its own with this time; with neither it stays. */
  | ({ readonly kind: 'attach'; readonly path: string } & LeasedOptions)

/** `set` and `delete`, which may ask for a version. */
export interface VersionOptions extends WaitOptions {
  /** Only where the value was set exactly that many times; rejects with a `TreeError` otherwise. */
  readonly version?: number
}

/** How often an entry's value was set. */
const versionRule = whole(0)
const createRules: Rules<CreateOptions> = { ephemeral: flag, sequential: flag }

const leaseRule: Rule = {
  must: "a lease of this tree, or a lease's id",
  fits: value =>
    typeof (typeof value === 'object' && value !== null ? (value as { id?: unknown }).id : value) === 'string',
}
const leaseTtl = whole(LEASE_TTL_MIN, LEASE_TTL_MAX, 'milliseconds')
const leasedRules: Rules<LeasedOptions> = { lease: leaseRule, ttl: leaseTtl }

export const checkCreate = optionsSchema<CreateOptions & LeasedOptions & WaitOptions>({
  ...createRules,
  ...leasedRules,
  ...waitRules,
})
export const checkSet = optionsSchema<VersionOptions & LeasedOptions>({
  version: versionRule,
  ...leasedRules,
  ...waitRules,
})
export const checkTreeLease = optionsSchema<TreeLeaseOptions>({ ttl: required(leaseTtl), keep: flag, ...waitRules })
export const checkRenewal = optionsSchema<WaitOptions>({ ...waitRules })
export const checkList = optionsSchema<ListOptions>({
  recursive: flag,
  values: flag,
  limit: whole(1),
  after: textOf('the name of a child, or a path'),
  ...waitRules,
})
export const checkCount = optionsSchema<CountOptions>({ recursive: flag, ...waitRules })
export const checkVersioned = optionsSchema<VersionOptions>({ version: versionRule, ...waitRules })
export const checkRead = optionsSchema<ReadOptions>({ stale: flag, ...waitRules })
const path: Rule = { ...textOf('a path'), required: true }
const value: Rule = { must: 'text or bytes', fits: () => true }
const kindOnly = (words: readonly string[]): Rule => ({ ...oneWord(words), required: true })

type Part = { readonly kind: string; readonly [name: string]: unknown }
type PartSchemas = Readonly<Record<string, Schema<Part>>>

const part = (rules: Readonly<Record<string, Rule>>): Schema<Part> =>
  optionsSchema<Part>({ kind: { must: 'a kind', fits: () => true }, ...rules } as Rules<Part>)

const UNBOUND = { lease: undefined, ttl: undefined } as const

const WRITES: PartSchemas = {
  create: part({ path, value, ...createRules, ...leasedRules }),
  attach: part({ path, ...leasedRules }),
  set: part({ path, value, version: versionRule }),
  delete: part({ path, version: versionRule }),
}
const CONDITIONS: PartSchemas = {
  exists: part({ path }),
  absent: part({ path }),
  version: part({ path, version: { ...versionRule, required: true } }),
  value: part({ path, value }),
  childrenVersion: part({ path, version: { ...versionRule, required: true } }),
}

/** The parts of a transaction in the words of the wire; refuses what is none of them. */
export function readTransaction(
  conditions: readonly TransactionCondition[],
  writes: readonly TransactionWrite[],
): { readonly conditions: readonly TreeCondition[]; readonly writes: readonly TreeWrite[] } {
  return {
    conditions: conditions.map((one, at) => readCondition(one, `if[${at}]`)),
    writes: writes.map((one, at) => readWrite(one, `do[${at}]`)),
  }
}

function readCondition(condition: TransactionCondition, at: string): TreeCondition {
  checkPart(condition, at, CONDITIONS)
  return condition.kind === 'value'
    ? { ...condition, value: bytesOf(condition.value, `${at}.value`) }
    : (condition as TreeCondition)
}

function readWrite(write: TransactionWrite, at: string): TreeWrite {
  checkPart(write, at, WRITES)
  const { path: where } = write
  if (write.kind === 'attach') return { kind: 'attach', path: where, ...(bindingOf(write) ?? UNBOUND) }
  if (write.kind === 'delete') return { kind: 'delete', path: where, version: write.version }
  const bytes = bytesOf(write.kind === 'create' ? (write.value ?? '') : write.value, `${at}.value`)
  if (write.kind === 'set') return { kind: 'set', path: where, value: bytes, version: write.version }
  const { ephemeral = false, sequential = false } = write
  const binding = bindingOf(write)
  if (binding === undefined) return { kind: 'create', path: where, value: bytes, ephemeral, sequential }
  if (ephemeral)
    throw new SettingsError(`${at}: an entry ends with its session (ephemeral) or with a lease: give one of the two.`)
  return { kind: 'createLeased', path: where, value: bytes, sequential, ...binding }
}

function checkPart(given: unknown, at: string, schemas: PartSchemas): void {
  const kind = typeof given === 'object' && given !== null ? (given as { kind?: unknown }).kind : undefined
  const schema = typeof kind === 'string' && Object.hasOwn(schemas, kind) ? schemas[kind] : undefined
  if (schema !== undefined) return schema(`${at} (${kind})`, given as Part)
  const rule = kindOnly(Object.keys(schemas))
  if (typeof given !== 'object' || given === null) {
    throw new SettingsError(`${at} is ${kindOf(given)}; it must be an object whose kind is ${rule.must}.`)
  }
  const said = typeof kind === 'string' ? JSON.stringify(kind) : kindOf(kind)
  throw new SettingsError(`${at}.kind is ${said}; it must be ${rule.must}.`)
}
