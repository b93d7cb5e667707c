// coterie completion SHELL: prints a script that completes commands, options and their values.

import { Argument, type Command } from 'commander'
import { outline } from '../outline.ts'
import { action, newCommand } from '../output.ts'
import { bashScript } from './bash.ts'
import { fishScript } from './fish.ts'
import { zshScript } from './zsh.ts'

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript }

const EXAMPLE = `
Example:
  $ coterie completion bash > ~/.local/share/bash-completion/completions/coterie
      bash reads it when coterie is completed for the first time; without the package bash-completion, source it in ~/.bashrc
  $ coterie completion zsh > ~/.zsh/functions/_coterie
      a folder of your $fpath, which is set before compinit is called
  $ coterie completion fish > ~/.config/fish/completions/coterie.fish

The script asks nobody: names of locks, entries and members are not completed. Write it again after an update.

Exit codes: 0 printed, 2 wrong usage.`

export function completionCommand(commands: Parameters<typeof outline>[0]): Command {
  return newCommand('completion')
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', EXAMPLE)
    .action(
      action(async (shell: keyof typeof SCRIPTS) => {
        process.stdout.write(SCRIPTS[shell](await outline(commands)))
      }),
    )
}
