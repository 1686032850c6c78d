-- Stands in for fzf-lua: `fzf_live(contents, options)`. For every change of the prompt `contents({prompt})` is called
-- (older versions: `contents(prompt)`), and the function it returns is given a callback for lines, and for nil at the end.
-- That happens outside the main loop, where most of Neovim's functions must not be called.
return {
  defaults = { actions = { files = { ['enter'] = 'file_edit' } } },
  fzf_live = function(contents, options)
    _G.opened = { options = options }
    function _G.type_prompt(text, old)
      local lines = {}
      local timer = vim.uv.new_timer()
      timer:start(0, 0, function()
        timer:close()
        contents(old and text or { text })(function(line)
          if line then
            lines[#lines + 1] = line
          else
            _G.entries = lines
          end
        end)
      end)
    end
  end,
}
