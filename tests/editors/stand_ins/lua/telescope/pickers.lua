return {
  new = function(options, picker)
    return {
      find = function()
        _G.opened = { options = options, picker = picker }
        function _G.type_prompt(text)
          picker.finder(text, function(entries)
            _G.entries = entries
          end)
        end
      end,
    }
  end,
}
