# SPDX-License-Identifier: MIT
#
# complete.zsh FOLDER LINE - what zsh offers for LINE with the completions in FOLDER, one word a line. Completion works only at a
# terminal, so a second zsh has one; there a hook prints what is offered instead of showing it.
zmodload zsh/zpty
zpty shell zsh -f -i
expect() { # PATTERN: reads on until it was printed
    local text=
    while zpty -r shell text; do
        [[ $text != ${~1} ]] || return 0
    done
}
zpty -w shell "PROMPT= PS2=; cd ${(q)PWD}; fpath=(${(q)1} \$fpath); autoload -U compinit; compinit -u -D
    compadd() {
        local -a offered
        builtin compadd -O offered \"\$@\" 2>/dev/null
        (( \${#offered} )) && print -l -- '' '<'\${^offered}'>'
        builtin compadd \"\$@\"
    }
    finish() { print; print '<end>'; exit }
    zle -N finish
    bindkey '^I' complete-word '^X' finish
    setopt noautolist nobeep nolistbeep; print ready-now"
expect '*ready-now*'
zpty -w -n shell "$2"$'\t'
sleep 0.7
zpty -w -n shell $'\x18'
output=
while zpty -r shell line; do
    output+=$line
    [[ $line != *'<end>'* ]] || break
done
print -r -- $output | tr -d '\r' | sed -n 's/^.*<\([^>]*\)>.*$/\1/p' | grep -vx end
zpty -d shell
