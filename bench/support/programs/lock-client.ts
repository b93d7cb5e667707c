// A client process of the lock benchmark.

import { Clients, type Done, type Job } from '../../lock/jobs.ts'
import { work } from '../working.ts'

const clients = new Clients()
work<Job, Done>(job => clients.do(job))
