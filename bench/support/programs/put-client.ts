// A client process of the objects benchmark.

import { type Done, type Job, Putters } from '../../objects/jobs.ts'
import { work } from '../working.ts'

const putters = new Putters()
work<Job, Done>(job => putters.do(job))
