# Completion of midpool for fish: the program says what fits.
# SPDX-License-Identifier: MIT
function __midpool_complete
    set -l typed (commandline -ct)
    set -l before (commandline -opc)
    for line in ($before[1] complete $before[2..-1] "$typed" 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path "$typed"
            case :folders
                __fish_complete_directories "$typed"
            case '*'
                echo $line
        end
    end
end
complete -c midpool -f -a '(__midpool_complete)'
