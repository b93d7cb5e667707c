export { Matcher } from './matcher.ts'
